"""The pure core: every rule of the product, and no clock, randomness, I/O or framework.

`decide` proposes events, `check` admits them, `evolve` remembers them. What a machine may see, wait for or
fail at lives in `adapters`; what a person or program asks for arrives through `app`.
"""
