"""Profiles in the formats of other tools, with the same sums as the profile."""
