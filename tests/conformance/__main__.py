"""Run the conformance suite and the public clients: `python -m tests.conformance`."""

import sys
from pathlib import Path

import pytest

if __name__ == "__main__":
    sys.exit(pytest.main([str(Path(__file__).parent), "-v", *sys.argv[1:]]))
