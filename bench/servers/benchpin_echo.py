"""The trivial tool on Benchpin's kernel and edge, as shipped but for the rate limit."""

import asyncio

from benchpin.server import serve_stdio
from benchpin.server.logs import configure_logging
from everything.serving import kernel_for


async def main() -> None:
    """Serve."""
    await serve_stdio(kernel_for(limits={"burst": 1_000_000_000}))


configure_logging(debug=False)
asyncio.run(main())
