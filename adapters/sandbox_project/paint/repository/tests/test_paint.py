"""What holds before any change."""

import unittest

from paint.coverage import paint_needed_ml
from paint.tins import tins_to_buy
from paint.walls import wall_area_cm2

AREA_CM2 = 352_000
PAINT_ML = 7_041


class PaintTest(unittest.TestCase):
    """A room, its paint, its tins."""

    def test_room(self) -> None:
        """A small room's walls less its door and window."""
        assert wall_area_cm2(420, 360, 250, 38_000) == AREA_CM2

    def test_paint(self) -> None:
        """Two coats, rounded up."""
        assert paint_needed_ml(AREA_CM2 + 1) == PAINT_ML

    def test_tins_hold_enough(self) -> None:
        """Whatever is bought, it is enough."""
        assert sum(tins_to_buy(PAINT_ML, [750, 2_500, 5_000])) >= PAINT_ML


if __name__ == "__main__":
    unittest.main()
