"""`manage.py explain_index NAME [PATH]`: what is indexed of a repository, and why not the rest."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from web.accounts.principals import Principal
from web.core.errors import PortolanError
from web.core.text import printable
from web.library.selectors.index_reports import FileReport, RefReport, file_report, index_report

_OPERATOR = Principal(is_member=True, is_staff=True)


class Command(BaseCommand):
    """Counts by reason what is not indexed, or tells what became of one file."""

    help = (
        "Say what is indexed of a repository on each of its refs, and count by reason what is not. "
        "With a path: what this file is, and why it is not indexed or what it was cut into."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the command line."""
        parser.add_argument("name", help="Short name of the repository.")
        parser.add_argument("path", nargs="?", help="Path of a file, from the top folder.")
        parser.add_argument("--ref", help="Only this branch or tag; all indexed ones by default.")
        parser.add_argument("--json", action="store_true", help="Write JSON, for programs.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the report."""
        asked = {"principal": _OPERATOR, "repository": options["name"], "ref": options["ref"]}
        reports: tuple[RefReport, ...] | tuple[FileReport, ...]
        try:
            if options["path"] is None:
                reports = index_report(**asked)
                lines = [line for report in reports for line in _ref_lines(report)]
            else:
                reports = file_report(**asked, path=options["path"])
                lines = [line for report in reports for line in _file_lines(report)]
        except PortolanError as error:
            raise CommandError(printable(str(error))) from None
        if options["json"]:
            rows = [asdict(report) for report in reports]
            self.stdout.write(json.dumps(rows, indent=2, ensure_ascii=False, default=str))
            return
        if not lines:
            name = options["name"]
            lines = [f"Nothing is indexed yet. Sync it: manage.py sync_repositories {name}"]
        self.stdout.write("\n".join(lines))


def _ref_lines(report: RefReport) -> Iterator[str]:
    default = ", the default" if report.is_default else ""
    at = f", indexed {report.indexed_at:%Y-%m-%d %H:%M} UTC" if report.indexed_at else ""
    yield f"{report.kind} {printable(report.ref)}{default}, at {report.commit[:12]}{at}"
    yield (
        f"  {report.indexed:,} of {report.files:,} files are indexed, {report.documents:,} of them "
        f"documents: {report.chunks:,} chunks, {report.symbols:,} definitions"
    )
    if report.skipped:
        yield f"  {report.files - report.indexed:,} are not, because:"
    for skipped in report.skipped:
        examples = ", ".join(printable(path) for path in skipped.examples)
        more = ", …" if skipped.files > len(skipped.examples) else ""
        counted = f"  {skipped.files:8,}  {skipped.reason} ({skipped.size_bytes:,} bytes)"
        yield f"{counted}: {examples}{more}"
        if skipped.advice:
            yield f"            {skipped.advice}"


def _file_lines(report: FileReport) -> Iterator[str]:
    ref, path = printable(report.ref), printable(report.path)
    yield f"{ref} at {report.commit[:12]}: {path} is {report.state}"
    if report.state == "absent":
        return
    language = f", {report.language}" if report.language else ""
    yield f"  {report.kind} of {report.size_bytes:,} bytes{language}, blob {report.oid}"
    if report.state == "not indexed":
        yield f"  because: {report.reason}"
        if report.advice:
            yield f"  to change that: {report.advice}"
        return
    title = f", titled {printable(report.title)!r}" if report.title else ""
    kind = "documentation" if report.is_document else "code"
    yield f"  read as {kind}, format {report.read_as}, encoding {report.encoding}{title}"
    yield f"  {report.lines:,} lines, {report.chunks:,} chunks, {report.symbols:,} definitions"
    for left_out in report.left_out:
        yield f"  {left_out}"
