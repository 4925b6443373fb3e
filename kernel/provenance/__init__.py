"""Where something accepted comes from, in a form that a stranger can verify without this product's database."""
