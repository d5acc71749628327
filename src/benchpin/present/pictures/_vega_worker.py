"""Render pictures with vl-convert, in a process of its own.

vl-convert runs V8, which holds Python's lock while it draws and ends its whole process when it runs
out of memory. An order is JSON; the answer is `DRAWN` and the bytes, or what is wrong.
"""

import json

from benchpin.system.processes import reply, requests

DRAWN = b"drawn:"
_EXPORTS = "window.vegaEmbed = vegaEmbed;"


def render(kind: str, spec: dict[str, object], scale: float) -> bytes:
    import vl_convert

    if kind == "bundle":
        script: str = vl_convert.javascript_bundle(_EXPORTS)
        return script.encode()
    is_lite = "vega-lite" in str(spec.get("$schema"))
    # No base URL is allowed: a picture has all its data, and nothing is fetched.
    offline: list[str] = []
    if kind == "svg":
        draw = vl_convert.vegalite_to_svg if is_lite else vl_convert.vega_to_svg
        drawing: str = draw(spec, allowed_base_urls=offline)
        return drawing.encode()
    paint = vl_convert.vegalite_to_png if is_lite else vl_convert.vega_to_png
    image: bytes = paint(spec, scale=scale, allowed_base_urls=offline)
    return image


if __name__ == "__main__":
    for message in requests():
        order = json.loads(message)
        try:
            reply(DRAWN + render(order["kind"], order["spec"], order["scale"]))
        except ValueError as error:  # what vl-convert raises
            reply(str(error).encode())
