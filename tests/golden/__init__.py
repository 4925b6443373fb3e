"""One file per event version ever shipped: never edited, only added. `python -m tests.golden.make` writes new ones."""
