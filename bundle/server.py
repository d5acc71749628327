"""The entry point that a bundle has to name; the manifest starts the command itself."""

from benchpin.cli import main

if __name__ == "__main__":
    main()
