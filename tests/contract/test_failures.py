from mcp_sidecar.contract.failures import failure_text
from web.core.errors import NotFound, TooManyRequests, Unavailable


def test_failure_reads_as_message_hint_and_code():
    error = NotFound(
        "There is no file 'x' in repository 'django' at main.", hint="Did you mean 'y'?"
    )
    assert failure_text(error) == (
        "There is no file 'x' in repository 'django' at main.\nDid you mean 'y'?\n(code: not_found)"
    )


def test_failure_without_a_hint_has_no_empty_line():
    assert failure_text(Unavailable("Away.")) == "Away.\n(code: unavailable)"


def test_retry_after_reaches_the_model():
    error = TooManyRequests("Too many calls.", retry_after_seconds=12, hint="Wait.")
    assert "12 s" in failure_text(error)


def test_names_in_a_failure_are_escaped_and_bounded():
    error = NotFound("no \u202e" + "x" * 50_000, hint="Did you mean: a\nb?" + "h" * 50_000)
    text = failure_text(error)
    assert "\\u202e" in text
    assert "Did you mean: a\\u000ab?" in text
    assert text.count("\n") == len(["message", "hint"])
    assert len(text) < 5_000
    assert "more characters" in text
