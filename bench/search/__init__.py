"""The search benchmark: `python -m bench.search`, see `__main__`."""
