"""Every bound of the product, as a setting of its own.

A limit is read from the environment variable `PORTOLAN_` plus its name in capitals. Nothing is
cut by a number that does not stand here.
"""

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from web.core.startup import read_or_exit


class Limits(BaseSettings):
    """The bounds, with their defaults."""

    model_config = SettingsConfigDict(
        env_prefix="PORTOLAN_", env_ignore_empty=True, frozen=True, extra="ignore"
    )

    # Protocol
    max_body_bytes: int = Field(1024 * 1024, gt=0, description="Largest request body, in bytes.")
    max_batch_size: int = Field(20, gt=0, description="Most messages in one JSON-RPC batch.")
    max_batch_items: int = Field(
        100, gt=0, description="Most rows that one call may name to be changed."
    )
    max_json_depth: int = Field(64, gt=0, description="Deepest nesting of a JSON body.")
    body_timeout_seconds: float = Field(
        30.0, gt=0, description="Longest time the body of a request may take to arrive."
    )
    call_deadline_seconds: float = Field(
        25.0, gt=0, description="Longest time a tool call may take."
    )
    max_concurrent_calls: int = Field(8, gt=0, description="Tool calls at once in one process.")
    max_queued_calls: int = Field(64, ge=0, description="Tool calls that may wait for a slot.")
    max_messages_per_minute: int = Field(
        1200, ge=0, description="Messages that one account may send in a minute; 0 for no bound."
    )
    max_anonymous_messages_per_minute: int = Field(
        600,
        ge=0,
        description="Messages without a token that one address (of IPv6: one /64 network) may send "
        "in a minute; 0 for no bound.",
    )
    max_wrong_tokens_per_minute: int = Field(
        30,
        ge=0,
        description="Wrong tokens that one address may send in a minute; further ones are answered "
        "with 429, right ones still work. 0 for no bound.",
    )
    redis_answer_seconds: float = Field(
        0.25,
        gt=0,
        description="Longest time that Redis may take; beyond, each sidecar counts for itself and "
        "answers without what is kept there.",
    )

    # Results
    max_result_characters: int = Field(40_000, gt=0, description="Longest answer of a tool.")
    default_search_limit: int = Field(8, gt=0, description="Results of a search by default.")
    max_search_limit: int = Field(20, gt=0, description="Most results of one search page.")
    max_query_characters: int = Field(500, gt=0, description="Longest search query.")
    max_path_characters: int = Field(8192, gt=0, description="Longest path taken as an argument.")
    max_read_lines: int = Field(400, gt=0, description="Most lines of one read_file answer.")
    max_grep_lines: int = Field(20, gt=0, description="Most lines of one file in a grep answer.")
    grep_seconds: float = Field(10.0, gt=0, description="Longest time one grep page may take.")
    max_walked_commits: int = Field(
        20_000, gt=0, description="Most commits one page of history looks at."
    )
    history_seconds: float = Field(10.0, gt=0, description="Longest time for a page of history.")
    max_diff_files: int = Field(100, gt=0, description="Most files of a commit that are listed.")
    max_diff_characters: int = Field(24_000, gt=0, description="Longest diff of a commit.")
    max_line_characters: int = Field(500, gt=0, description="Longest line shown whole.")
    default_list_limit: int = Field(100, gt=0, description="Rows of a list by default.")
    max_list_limit: int = Field(500, gt=0, description="Most rows of one list page.")
    max_repository_enum: int = Field(
        50, gt=0, description="Most repository names listed in a schema."
    )

    # GitHub
    max_github_calls: int = Field(
        4, gt=0, description="Tool calls at once in one process that ask GitHub."
    )
    max_queued_github_calls: int = Field(
        16, ge=0, description="Tool calls that may wait for one of these to end."
    )
    github_timeout_seconds: float = Field(
        15.0, gt=0, description="Longest time that one call may spend on GitHub."
    )
    max_github_bytes: int = Field(
        16 * 1024 * 1024, gt=0, description="Largest answer of GitHub, unpacked."
    )
    max_github_pages: int = Field(
        5, gt=0, description="Pages of GitHub's list of issues that one call reads."
    )
    max_issue_characters: int = Field(
        65_536, gt=0, description="Longest text of an issue or a comment that is written."
    )
    github_repeat_minutes: int = Field(
        10, ge=0, description="Minutes in which the same issue or comment is not written again."
    )

    # Indexing
    max_indexed_file_bytes: int = Field(
        512 * 1024, gt=0, description="Largest file that is indexed."
    )
    max_readable_file_bytes: int = Field(
        16 * 1024 * 1024, gt=0, description="Largest file that read_file opens."
    )
    max_parse_seconds: float = Field(
        1.0, gt=0, description="CPU time for the definitions of one file; beyond, it has none."
    )
    max_parse_overrun_seconds: float = Field(
        5.0,
        gt=0,
        description="CPU time that parsing may take beyond that, in a step that cannot be "
        "interrupted; then its process is ended.",
    )
    max_parse_memory_bytes: int = Field(
        512 * 1024 * 1024,
        gt=0,
        description="Memory for the definitions of one file; beyond, it has none.",
    )
    max_unconfined_parse_bytes: int = Field(
        384 * 1024,
        ge=0,
        description="Largest file that is parsed without that bound, outside a process of its own.",
    )
    max_unconfined_deep_bytes: int = Field(
        128 * 1024, ge=0, description="The same for Go and JavaScript, whose parsers take more."
    )
    max_unconfined_ambiguous_bytes: int = Field(
        2 * 1024,
        ge=0,
        description="The same for Bash, C, C++, C#, Java, Rust and TypeScript, whose parsers can "
        "take far more.",
    )
    max_file_chunks: int = Field(
        5000, gt=0, description="Most pieces of one file; one with more is cut into even ones."
    )
    max_file_symbols: int = Field(
        20_000, gt=0, description="Most definitions of one file that are found, the first of it."
    )
    git_timeout_seconds: float = Field(600.0, gt=0, description="Longest run of one git fetch.")
    git_listing_seconds: float = Field(
        60.0, gt=0, description="Longest wait for the list of a remote's branches and tags."
    )
    max_listing_bytes: int = Field(
        64 * 1024 * 1024,
        gt=0,
        description="Largest list of a remote's branches and tags: about 60 bytes for each.",
    )
    max_repository_files: int = Field(
        1_000_000, gt=0, description="Most files and folders of one repository's tree."
    )
    max_folder_bytes: int = Field(
        128 * 1024 * 1024,
        gt=0,
        description="Largest folder that is opened, as git stores it: about 40 bytes per entry, "
        "and its name.",
    )
    min_free_disk_bytes: int = Field(
        256 * 1024 * 1024, ge=0, description="Free space in the data folder that a sync leaves."
    )
    index_batch_bytes: int = Field(
        8 * 1024 * 1024, gt=0, description="Text written in one transaction, in bytes."
    )
    index_batch_files: int = Field(200, gt=0, description="Files written in one transaction.")
    max_vector_tokens: int = Field(
        16_000,
        gt=64,
        lt=16_384,
        description="Words of a text in one row of PostgreSQL's full text; a longer one has more.",
    )
    max_vector_bytes: int = Field(
        512 * 1024,
        gt=1024,
        le=900_000,
        description="Distinct words in such a row, in bytes; beyond, the text has more rows.",
    )

    refusal_pause_minutes: int = Field(
        5,
        gt=0,
        description="Minutes until a remote, site or feed that refused the sign-in, or wants to be "
        "asked less often, is asked again by itself; each refusal doubles them.",
    )
    max_refusal_pause_minutes: int = Field(
        60, gt=0, description="Longest such pause, unless the host asks for a longer one."
    )

    # Webhooks
    max_webhook_bytes: int = Field(
        25 * 1024 * 1024, gt=0, description="Largest push event of a code host, in bytes."
    )
    webhook_overlap_hours: int = Field(
        24, ge=0, description="Hours that a webhook's secret goes on working after a new one."
    )

    # Logs
    max_log_file_bytes: int = Field(
        10 * 1024 * 1024, gt=0, description="Size at which a process starts a new log file."
    )
    max_log_files: int = Field(5, gt=0, description="Log files kept per process.")
    log_keep_days: int = Field(
        14, gt=0, description="Days after which the logs of ended processes are removed."
    )
    max_log_search_bytes: int = Field(
        64 * 1024 * 1024, gt=0, description="Log read from files for one page of search_logs."
    )
    max_log_search_lines: int = Field(
        200_000, gt=0, description="Rows read from the log's table for one page of search_logs."
    )
    default_log_limit: int = Field(50, gt=0, description="Lines of search_logs by default.")
    max_log_limit: int = Field(200, gt=0, description="Most lines of one page of search_logs.")

    # Usage
    usage_keep_days: int = Field(
        90, gt=0, description="Days after which recorded tool calls are removed."
    )
    max_records_waiting: int = Field(
        20_000,
        gt=0,
        description="Rows that wait in one process for the database; beyond, they are dropped and "
        "counted.",
    )
    max_recorded_arguments_characters: int = Field(
        2_000, gt=0, description="Longest arguments recorded of a tool call, as JSON."
    )
    max_timed_calls: int = Field(
        5_000, gt=0, description="Calls of one tool whose times a report reads on SQLite."
    )
    max_counted_searches: int = Field(
        100_000, gt=0, description="Searches over which a report counts queries, the newest."
    )
    max_usage_queries: int = Field(20, gt=0, description="Queries listed in a report.")

    # Health
    health_check_seconds: float = Field(
        5.0, gt=0, description="Longest time of one check of the health."
    )
    health_minutes: int = Field(
        15, gt=0, description="Minutes over which the health looks at errors."
    )
    max_task_wait_minutes: int = Field(
        15, gt=0, description="Minutes that a due task may wait before the worker is in doubt."
    )
    max_task_hours: int = Field(
        6, gt=0, description="Hours that a task may run before its worker is in doubt."
    )
    max_error_percent: int = Field(
        5, ge=0, le=100, description="Share of failed calls above which the health is failing."
    )
    tidy_minutes: int = Field(
        10, gt=0, description="Minutes between two runs of the task that removes old records."
    )
    task_keep_days: int = Field(
        7, gt=0, description="Days after which finished tasks of the worker are removed."
    )
    max_source_age_hours: int = Field(
        48, gt=0, description="Hours after which a source that was not read anew is too old."
    )

    # Accounts
    invitation_days: int = Field(7, gt=0, description="Days that an invitation's link works.")
    password_reset_hours: int = Field(
        4, gt=0, description="Hours that a password reset's link works."
    )
    sign_in_failures: int = Field(
        5,
        gt=0,
        description="Failed sign-ins with one name from one address before a pause; four times "
        "as many from one address or ten times as many with one name cause one as well.",
    )
    sign_in_pause_minutes: int = Field(15, gt=0, description="Length of that pause.")
    access_token_minutes: int = Field(60, gt=0, description="Life of an OAuth access token.")
    refresh_token_days: int = Field(
        30, gt=0, description="Days without use after which an OAuth connection ends."
    )
    max_personal_access_tokens: int = Field(
        50, gt=0, description="Personal access tokens of one member that work at once."
    )
    max_client_registrations_per_hour: int = Field(
        30,
        gt=0,
        description="OAuth clients that one address may register in an hour, and as many new ones "
        "that it may name by a metadata document.",
    )
    max_password_resets_per_hour: int = Field(
        10, gt=0, description="Password resets that one address may ask for in an hour."
    )
    max_registration_bytes: int = Field(
        16 * 1024, gt=0, description="Largest registration or metadata document of a client."
    )

    # Fetching from the web
    max_url_characters: int = Field(2000, gt=0, description="Longest address that is fetched.")
    max_fetched_bytes: int = Field(
        10 * 1024 * 1024, gt=0, description="Largest answer fetched from the web, unpacked."
    )
    max_redirects: int = Field(5, ge=0, description="Redirects followed by one fetch.")
    max_feed_bytes: int = Field(
        5 * 1024 * 1024, gt=0, description="Largest RSS or Atom feed, unpacked."
    )
    max_feed_seconds: int = Field(
        60, gt=0, description="CPU time that reading one feed may take, in seconds."
    )
    max_unconfined_feed_bytes: int = Field(
        64 * 1024,
        ge=0,
        description="Largest feed that is read without that bound, outside a process of its own.",
    )
    min_feed_interval_minutes: int = Field(
        5, gt=0, description="Least time between two looks at a feed, in minutes."
    )
    max_feed_entries: int = Field(
        1000, gt=0, description="Entries of one feed that are imported, the first of it."
    )
    max_sitemaps: int = Field(50, gt=0, description="Sitemaps read of one site.")
    max_site_pages: int = Field(3000, gt=0, description="Pages of one site that are fetched.")
    max_site_page_bytes: int = Field(
        2 * 1024 * 1024, gt=0, description="Largest page of a site, unpacked."
    )
    max_page_seconds: float = Field(
        10.0, gt=0, description="CPU time for making text of one page, or entry of a feed."
    )
    max_page_characters: int = Field(
        4_000_000, gt=0, description="Longest text that one page, or entry of a feed, becomes."
    )
    site_pause_seconds: float = Field(
        0.2, ge=0, description="Pause between two requests to one site."
    )
    min_site_minutes: int = Field(15, ge=0, description="Least time between two crawls of a site.")
    default_post_list: int = Field(20, gt=0, description="Posts on one page of the blog.")
    max_post_characters: int = Field(500_000, gt=0, description="Longest post.")
    fetch_timeout_seconds: float = Field(20.0, gt=0, description="Longest time of one fetch.")


LIMITS = read_or_exit(Limits)
