"""Probe a host with GET requests and collect artefacts into a bundle."""
