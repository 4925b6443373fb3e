"""The tins to buy."""


def tins_to_buy(needed_ml: int, sizes_ml: list[int]) -> list[int]:
    """Return the tins to buy for an amount of paint: the largest size, as often as needed."""
    if needed_ml < 0 or not sizes_ml or min(sizes_ml) <= 0:
        raise ValueError("an amount is not negative and tins have sizes above zero")
    largest = max(sizes_ml)
    return [largest] * -(-needed_ml // largest)
