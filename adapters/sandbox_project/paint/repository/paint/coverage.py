"""The paint for an area."""

CM2_PER_ML = 100
"""One litre covers ten square metres, so one millilitre covers a hundred square centimetres."""


def paint_needed_ml(area_cm2: int, coats: int = 2) -> int:
    """Return the paint for an area, in millilitres, rounded up."""
    if area_cm2 < 0 or coats < 1:
        raise ValueError("an area is not negative and gets at least one coat")
    return -(-area_cm2 * coats // CM2_PER_ML)
