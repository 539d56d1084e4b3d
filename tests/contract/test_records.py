"""Results follow the records of the services field by field."""

from dataclasses import fields

import pytest

from mcp_sidecar.contract.base import Result
from mcp_sidecar.contract.project import (
    find_symbol,
    get_repository,
    list_docs,
    list_files,
    list_repositories,
    read_doc,
    read_file,
    search_code,
    search_docs,
)
from mcp_sidecar.contract.rendering.freshness import Freshness
from web.library import records

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
]


@pytest.mark.parametrize(("result", "record"), PAIRS)
def test_result_has_every_field_of_its_record(result: type[Result], record: type):
    assert {field.name for field in fields(record)} == set(result.model_fields) - {
        "filters_applied"
    }
