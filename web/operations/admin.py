"""Recorded calls in the admin, to be looked through."""

from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from web.operations.models import ToolCall


@admin.register(ToolCall)
class ToolCallAdmin(admin.ModelAdmin[Any]):
    """The recorded calls, newest first. Nobody changes them; they are removed by age."""

    list_display = (
        "at",
        "tool",
        "outcome",
        "user",
        "query",
        "result_count",
        "milliseconds",
        "cached",
        "request_id",
    )
    list_filter = ("outcome", "tool", "cached")
    list_select_related = ("user",)
    search_fields = ("=request_id", "=user__username", "=tool")
    search_help_text = "A whole request id, user name or tool."
    ordering = ("-at", "-id")
    show_full_result_count = False

    @admin.display(description="ms", ordering="seconds")
    def milliseconds(self, call: ToolCall) -> str:
        """Return how long the call took."""
        return f"{call.seconds * 1000:.1f}"

    def has_module_permission(self, request: HttpRequest) -> bool:
        """All staff may look."""
        return request.user.is_staff

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """All staff may look."""
        return request.user.is_staff

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Only the recorder writes calls."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody edits a record."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Records end by their age."""
        return False
