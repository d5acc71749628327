"""Colours with a meaning, which people with any kind of colour blindness tell apart."""

RED, ORANGE, BLUE, GREEN, GREY = "#d55e00", "#e69f00", "#0072b2", "#009e73", "#8a929b"

LEVELS = {"error": RED, "warning": ORANGE, "note": BLUE}


def by_level(field: str, title: str) -> dict[str, object]:
    """Return the colour channel of a field with the severity of findings."""
    scale = {"domain": [*LEVELS], "range": [*LEVELS.values()]}
    return {"field": field, "type": "nominal", "title": title, "scale": scale}


def by_share(field: str, title: str) -> dict[str, object]:
    """Return the colour channel of a field from 0 to 1, where more is worse; grey if unknown."""
    scale = {"domain": [0, 1], "range": ["#f6d9a8", "#e69f00", RED, "#7f0000"]}
    legend = {"format": ".0%"}
    known: dict[str, object] = {
        "test": f"isValid(datum.{field})",
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": scale,
        "legend": legend,
    }
    return {"condition": known, "value": GREY}
