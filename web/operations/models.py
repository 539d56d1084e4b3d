"""The tables of operations: what was called, and, with PostgreSQL, what was logged.

Rows are written in batches by background threads and removed by age; nothing refers to them.
"""

from django.conf import settings
from django.db import models

WARNING_LEVEL = 30


class ToolCall(models.Model):
    """One call of a tool, also a refused one. No address of the caller is kept.

    `caller` is "anonymous" or "user:<id>", as in the logs; `user` the same as a reference, None
    once the account is gone. `outcome` is "ok" or the word of what went wrong. `query` is what was
    searched for, empty for tools that search nothing; `result_count` how much was found, None
    where that has no meaning. Arguments are bounded and without secrets.
    """

    at = models.DateTimeField(help_text="When it was answered.")
    server = models.CharField(max_length=40)
    endpoint = models.CharField(max_length=120)
    tool = models.CharField(max_length=100)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        db_constraint=False,  # a row may arrive after its user was deleted
        db_index=False,
    )
    caller = models.CharField(max_length=60)
    outcome = models.CharField(max_length=40)
    seconds = models.FloatField()
    cached = models.BooleanField()
    result_size = models.PositiveIntegerField(help_text="Characters of the answer.")
    result_count = models.PositiveIntegerField(null=True)
    query = models.CharField(max_length=500, blank=True)
    arguments = models.JSONField(default=dict)
    request_id = models.CharField(max_length=64)

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [
            models.Index(fields=["-at", "-id"], name="tool_call_newest"),
            models.Index(fields=["request_id"], name="tool_call_request"),
            # Counts and times are read from these two alone, without the rows.
            models.Index(fields=["at", "outcome"], name="tool_call_outcomes"),
            models.Index(fields=["tool", "at", "seconds", "outcome"], name="tool_call_times"),
            models.Index(fields=["user", "at"], name="tool_call_users"),
            models.Index(fields=["at"], condition=~models.Q(query=""), name="tool_call_queries"),
            models.Index(
                fields=["at"], condition=models.Q(result_count=0), name="tool_call_nothing"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tool}: {self.outcome}"


class LogLine(models.Model):
    """One line of the log of any process of any machine; filled where the database is PostgreSQL.

    `level` is the number of Python's logging, `process` the name and id, `fields` what the event
    added, as the text of a JSON object.
    """

    at = models.DateTimeField()
    level = models.PositiveSmallIntegerField()
    logger = models.CharField(max_length=200)
    message = models.TextField()
    request_id = models.CharField(max_length=64)
    host = models.CharField(max_length=100)
    process = models.CharField(max_length=100)
    caller = models.CharField(max_length=60)
    tool = models.CharField(max_length=100)
    fields = models.TextField()
    exception = models.TextField()

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [
            models.Index(fields=["-at", "-id"], name="log_line_newest"),
            models.Index(
                fields=["-at", "-id"],
                condition=models.Q(level__gte=WARNING_LEVEL),
                name="log_line_warnings",
            ),
        ]

    def __str__(self) -> str:
        return self.message[:100]
