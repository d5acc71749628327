"""`python -m benchpin` is `benchpin`."""

from benchpin import cli

cli.main()
