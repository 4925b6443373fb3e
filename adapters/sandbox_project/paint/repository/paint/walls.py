"""The area to paint."""


def wall_area_cm2(length_cm: int, width_cm: int, height_cm: int, openings_cm2: int = 0) -> int:
    """Return the area of a rectangular room's four walls without its windows and doors."""
    if min(length_cm, width_cm, height_cm) <= 0 or openings_cm2 < 0:
        raise ValueError("a room has a length, a width and a height above zero")
    area = 2 * (length_cm + width_cm) * height_cm - openings_cm2
    if area < 0:
        raise ValueError("the openings are larger than the walls")
    return area
