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
from web.library.github import records as issue_records
from web.library.records import code, documents, files, freshness, history, repositories

PAIRS = [
    (Freshness, freshness.Freshness),
    (list_repositories.RepositorySummary, repositories.RepositorySummary),
    (get_repository.GetRepositoryResult, repositories.RepositoryOverview),
    (get_repository.CommitSummary, history.CommitSummary),
    (search_code.SearchCodeResult, code.CodeSearchResult),
    (search_code.CodePlace, code.CodePlace),
    (find_symbol.FindSymbolResult, code.SymbolSearchResult),
    (find_symbol.SymbolPlace, code.SymbolPlace),
    (list_files.ListFilesResult, files.FileListing),
    (list_files.FileItem, files.FileItem),
    (read_file.ReadFileResult, files.FileLines),
    (search_docs.SearchDocsResult, documents.DocumentSearchResult),
    (search_docs.SectionPlace, documents.SectionPlace),
    (list_docs.ListDocsResult, documents.DocumentListing),
    (list_docs.DocumentItem, documents.DocumentItem),
    (read_doc.ReadDocResult, documents.DocumentText),
    (read_doc.SectionItem, documents.SectionItem),
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
