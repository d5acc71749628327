"""Differences between texts: which lines correspond, and the diffs that programs exchange."""
