"""The trivial tool on Benchpin's kernel and edge, as shipped but for the rate limit."""

import asyncio

from benchpin.server import configure_logging
from benchpin.server.pipes import serve_stdio
from everything.serving import workbench_for


async def main() -> None:
    """Serve."""
    await serve_stdio(workbench_for(limits={"burst": 1_000_000_000}))


configure_logging(debug=False)
asyncio.run(main())
