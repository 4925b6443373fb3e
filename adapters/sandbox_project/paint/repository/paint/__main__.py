"""The command: from a room to a shopping list."""

import argparse

from paint.coverage import paint_needed_ml
from paint.tins import tins_to_buy
from paint.walls import wall_area_cm2


def main() -> None:
    """Read the room from the command line and print what to buy."""
    parser = argparse.ArgumentParser(prog="paint", description="How much paint does a room need?")
    parser.add_argument("--room", required=True, help="length x width x height in cm, such as 420x360x250")
    parser.add_argument("--openings", type=int, default=0, help="windows and doors in square centimetres")
    parser.add_argument("--coats", type=int, default=2)
    parser.add_argument("--tins", default="750,2500,5000", help="sizes in ml, separated by commas")
    given = parser.parse_args()
    length, width, height = (int(part) for part in given.room.split("x"))
    area = wall_area_cm2(length, width, height, given.openings)
    needed = paint_needed_ml(area, given.coats)
    tins = tins_to_buy(needed, [int(size) for size in given.tins.split(",")])
    print(f"{area / 10_000:.2f} m2 to paint, {needed} ml of paint")
    print(f"buy {', '.join(f'{size} ml' for size in tins) or 'nothing'}, {sum(tins) - needed} ml left over")


if __name__ == "__main__":
    main()
