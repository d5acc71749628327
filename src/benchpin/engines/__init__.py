"""The algorithms. They know nothing of MCP, of tools or of the command line."""
