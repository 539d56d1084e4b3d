"""The bounds that appear in tool descriptors and renderings.

Same names, defaults and environment variables as in the platform's own limits; a test keeps the
two equal. They stand here a second time because the contract may know nothing but pydantic.
"""

import os


def _limit(name: str, default: int) -> int:
    return int(os.environ.get(f"PORTOLAN_{name}") or default)


MAX_RESULT_CHARACTERS = _limit("MAX_RESULT_CHARACTERS", 40_000)
DEFAULT_SEARCH_LIMIT = _limit("DEFAULT_SEARCH_LIMIT", 8)
MAX_SEARCH_LIMIT = _limit("MAX_SEARCH_LIMIT", 20)
MAX_QUERY_CHARACTERS = _limit("MAX_QUERY_CHARACTERS", 500)
MAX_PATH_CHARACTERS = _limit("MAX_PATH_CHARACTERS", 8192)
MAX_READ_LINES = _limit("MAX_READ_LINES", 400)
DEFAULT_LIST_LIMIT = _limit("DEFAULT_LIST_LIMIT", 100)
MAX_LIST_LIMIT = _limit("MAX_LIST_LIMIT", 500)
DEFAULT_LOG_LIMIT = _limit("DEFAULT_LOG_LIMIT", 50)
MAX_LOG_LIMIT = _limit("MAX_LOG_LIMIT", 200)
USAGE_KEEP_DAYS = _limit("USAGE_KEEP_DAYS", 90)
MAX_REPOSITORY_ENUM = _limit("MAX_REPOSITORY_ENUM", 50)
MAX_BATCH_ITEMS = _limit("MAX_BATCH_ITEMS", 100)
