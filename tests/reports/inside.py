"""What no caller may learn from a failure."""

from tests.mcp_sidecar.probes import SECRET

_INSIDE = ("/srv", "Traceback", "psycopg", "SELECT", "planted", "pydantic", 'File "', "Error(")


def tells_nothing(text: str) -> None:
    """Assert that an answer tells nothing of the inside, nor the secret of the failed call."""
    for word in (*_INSIDE, *SECRET.split()):
        assert word not in text, word
