"""Results follow the records of the services field by field."""

from dataclasses import fields

import pytest

from mcp_sidecar.contract.base import Result
from mcp_sidecar.contract.project import (
    comment_on_issue,
    create_issue,
    find_symbol,
    get_repository,
    list_docs,
    list_files,
    list_issues,
    list_repositories,
    read_doc,
    read_file,
    read_issue,
    search_code,
    search_docs,
)
from mcp_sidecar.contract.rendering.freshness import Freshness
from mcp_sidecar.contract.rendering.issues import IssueItem
from web.library import records
from web.library.github import records as issue_records

PAIRS = [
    (Freshness, records.Freshness),
    (list_repositories.RepositorySummary, records.RepositorySummary),
    (get_repository.GetRepositoryResult, records.RepositoryOverview),
    (get_repository.CommitSummary, records.CommitSummary),
    (search_code.SearchCodeResult, records.CodeSearchResult),
    (search_code.CodePlace, records.CodePlace),
    (find_symbol.FindSymbolResult, records.SymbolSearchResult),
    (find_symbol.SymbolPlace, records.SymbolPlace),
    (list_files.ListFilesResult, records.FileListing),
    (list_files.FileItem, records.FileItem),
    (read_file.ReadFileResult, records.FileLines),
    (search_docs.SearchDocsResult, records.DocumentSearchResult),
    (search_docs.SectionPlace, records.SectionPlace),
    (list_docs.ListDocsResult, records.DocumentListing),
    (list_docs.DocumentItem, records.DocumentItem),
    (read_doc.ReadDocResult, records.DocumentText),
    (read_doc.SectionItem, records.SectionItem),
    (IssueItem, issue_records.IssueItem),
    (list_issues.ListIssuesResult, issue_records.IssueListing),
    (read_issue.ReadIssueResult, issue_records.IssueText),
    (read_issue.IssueComment, issue_records.IssueComment),
    (create_issue.CreateIssueResult, issue_records.WrittenIssue),
    (comment_on_issue.CommentOnIssueResult, issue_records.WrittenComment),
]


@pytest.mark.parametrize(("result", "record"), PAIRS)
def test_result_has_every_field_of_its_record(result: type[Result], record: type):
    assert {field.name for field in fields(record)} == set(result.model_fields) - {
        "filters_applied"
    }
