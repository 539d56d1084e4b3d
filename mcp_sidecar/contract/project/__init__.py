"""The contracts of portolan-project, one file each; `CONTRACTS` in the order of tools/list."""

from mcp_sidecar.contract.base import AnyContract
from mcp_sidecar.contract.project import (
    comment_on_issue,
    create_issue,
    find_symbol,
    get_repository,
    grep_code,
    list_commits,
    list_docs,
    list_files,
    list_issues,
    list_repositories,
    read_commit,
    read_doc,
    read_file,
    read_issue,
    read_post,
    search_code,
    search_docs,
    search_posts,
)

CONTRACTS: tuple[AnyContract, ...] = (
    list_repositories.CONTRACT,
    get_repository.CONTRACT,
    search_code.CONTRACT,
    find_symbol.CONTRACT,
    grep_code.CONTRACT,
    list_files.CONTRACT,
    read_file.CONTRACT,
    list_commits.CONTRACT,
    read_commit.CONTRACT,
    search_docs.CONTRACT,
    list_docs.CONTRACT,
    read_doc.CONTRACT,
    search_posts.CONTRACT,
    read_post.CONTRACT,
    list_issues.CONTRACT,
    read_issue.CONTRACT,
    create_issue.CONTRACT,
    comment_on_issue.CONTRACT,
)
