"""Dart."""
