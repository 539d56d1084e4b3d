"""Every bound of the product, as a setting of its own.

A limit is read from the environment variable `PORTOLAN_` plus its name in capitals. Nothing is
cut by a number that does not stand here.
"""

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class Limits(BaseSettings):
    """The bounds, with their defaults."""

    model_config = SettingsConfigDict(env_prefix="PORTOLAN_", frozen=True, extra="ignore")

    # Protocol
    max_body_bytes: int = Field(1024 * 1024, gt=0, description="Largest request body, in bytes.")
    max_batch_size: int = Field(20, gt=0, description="Most messages in one JSON-RPC batch.")
    max_json_depth: int = Field(64, gt=0, description="Deepest nesting of a JSON body.")
    call_deadline_seconds: float = Field(
        25.0, gt=0, description="Longest time a tool call may take."
    )
    max_concurrent_calls: int = Field(8, gt=0, description="Tool calls at once in one process.")
    max_queued_calls: int = Field(64, ge=0, description="Tool calls that may wait for a slot.")

    # Results
    max_result_characters: int = Field(40_000, gt=0, description="Longest answer of a tool.")
    default_search_limit: int = Field(8, gt=0, description="Results of a search by default.")
    max_search_limit: int = Field(20, gt=0, description="Most results of one search page.")
    max_query_characters: int = Field(500, gt=0, description="Longest search query.")
    max_read_lines: int = Field(400, gt=0, description="Most lines of one read_file answer.")
    max_line_characters: int = Field(500, gt=0, description="Longest line shown whole.")
    default_list_limit: int = Field(100, gt=0, description="Rows of a list by default.")
    max_list_limit: int = Field(500, gt=0, description="Most rows of one list page.")
    max_repository_enum: int = Field(
        50, gt=0, description="Most repository names listed in a schema."
    )

    # Indexing
    max_indexed_file_bytes: int = Field(
        512 * 1024, gt=0, description="Largest file that is indexed."
    )
    max_readable_file_bytes: int = Field(
        16 * 1024 * 1024, gt=0, description="Largest file that read_file opens."
    )
    git_timeout_seconds: float = Field(600.0, gt=0, description="Longest run of one git fetch.")
    index_batch_files: int = Field(200, gt=0, description="Files written in one transaction.")


LIMITS = Limits()
