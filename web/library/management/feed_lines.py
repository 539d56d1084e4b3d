"""What the commands say of an import."""

from web.library.posts.records import FeedReport


def report_line(report: FeedReport) -> str:
    """Return what an import did, in one line."""
    if report.is_unchanged:
        return f"{report.feed}: unchanged."
    counts = f"{report.created} new, {report.updated} changed, {report.kept} as before"
    left_out = "".join(f"; left out {count}: {reason}" for reason, count in report.skipped)
    return f"{report.feed}: {counts}{left_out}."
