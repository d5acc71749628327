"""From profiles, slow logs and timings to snapshots, findings and reports."""
