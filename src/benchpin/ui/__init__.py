"""Pages about a workspace for people: on this machine, and as one file to send."""
