"""The composition root: the only module that names an adapter, and the one place where ports meet them."""
