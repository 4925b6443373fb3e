"""How much paint a room needs, and which tins to buy for it."""
