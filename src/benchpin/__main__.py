"""`python -m benchpin` is `benchpin`."""

from benchpin.cli import main

main()
