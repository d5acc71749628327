"""Rust."""
