"""What models read: every result type, with benign, hostile and huge records."""

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from markdown_it import MarkdownIt

from mcp_sidecar.contract.limits import MAX_RESULT_CHARACTERS
from mcp_sidecar.contract.operations import CONTRACTS as OPERATIONS
from mcp_sidecar.contract.operations import revoke_tokens, set_users_active, sync_repository
from mcp_sidecar.contract.project import (
    CONTRACTS,
    find_symbol,
    get_repository,
    list_commits,
    list_docs,
    list_files,
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
from mcp_sidecar.contract.rendering.answer import UNTRUSTED, WRITTEN_BY_OTHERS
from mcp_sidecar.contract.rendering.issues import UNTRUSTED_ISSUES
from tests.contract import samples
from tests.contract.samples import RESULTS, filled, text_fields
from tests.contract.snapshot import assert_matches_snapshot
from web.library.records.documents import SectionItem
from web.library.records.files import FileItem

MARKDOWN = MarkdownIt("commonmark")
TOKEN = "INJECTED"
HOSTILE = (
    f"x\n\n# {TOKEN}\r\n```\n~~~\n- `{TOKEN}` ``{TOKEN}`` "
    f"\u202e\u200b\U000e0041\x00\udc80\n\n{TOKEN}"
)
each_contract = pytest.mark.parametrize(
    "contract", CONTRACTS + OPERATIONS, ids=lambda one: one.name
)
# Answers that hold numbers and names of the platform, but no text that others wrote.
SUMMARIES = {set_users_active.CONTRACT, revoke_tokens.CONTRACT, sync_repository.CONTRACT}
# The platform's own words, which stand outside of spans; they are escaped all the same.
OWN_WORDS = {"hints[]"}


def outside_of_code(markdown: str) -> str:
    """Return all text that a Markdown reader takes for the answer's own."""
    texts = []
    for token in MARKDOWN.parse(markdown):
        is_in_link = False
        for child in token.children or ():
            is_in_link = child.type == "link_open" or (is_in_link and child.type != "link_close")
            if child.type != "code_inline" and not is_in_link:
                texts.append(child.content)
    return "\n".join(texts)


@each_contract
def test_rendering_equals_its_snapshot(contract):
    assert_matches_snapshot(contract.name, contract.render(RESULTS[contract]))


@each_contract
def test_untrusted_content_is_marked_once(contract):
    notice = WRITTEN_BY_OTHERS if contract in OPERATIONS else UNTRUSTED
    if contract.requires_github_token:
        notice = UNTRUSTED_ISSUES
    expected = 0 if contract in SUMMARIES else 1
    assert contract.render(RESULTS[contract]).count(notice) == expected


@pytest.mark.parametrize(
    "contract",
    [
        one
        for one in CONTRACTS
        if one not in {search_posts.CONTRACT, read_post.CONTRACT} and not one.requires_github_token
    ],
    ids=lambda one: one.name,
)
def test_answer_about_repositories_names_the_commit_and_its_date(contract):
    text = contract.render(RESULTS[contract])
    assert "commit 1a2b3c4d of 2026-11-02 10:31 UTC, indexed 2026-11-05 09:12 UTC" in text


@each_contract
def test_no_text_field_can_leave_its_span_or_fence(contract):
    for path in text_fields(contract.result):
        result = filled(
            contract.result,
            text=lambda at, path=path: HOSTILE if at == path else "benign",
            number=number_for(contract),
        )
        text = contract.render(result)
        text.encode()
        assert not re.search("[\u202e\u200b\U000e0041\x00\r\udc80]", text), path
        if path not in OWN_WORDS:
            assert TOKEN not in outside_of_code(text), path
        assert not re.search(rf"^#+ {TOKEN}", outside_of_fences(text), re.MULTILINE), path


def number_for(contract):
    """An issue that is shown from its beginning; every other result takes any number."""
    return 0 if contract is read_issue.CONTRACT else 7


def outside_of_fences(markdown: str) -> str:
    lines = markdown.split("\n")
    for token in MARKDOWN.parse(markdown):
        if token.type == "fence":
            lines[token.map[0] : token.map[1]] = [""] * (token.map[1] - token.map[0])
    return "\n".join(lines)


@each_contract
def test_every_text_field_of_the_repository_is_shown_or_left_out_on_purpose(contract):
    unseen = {
        path
        for path in text_fields(contract.result)
        if "SEEN"
        not in contract.render(
            filled(
                contract.result,
                text=lambda at, path=path: "SEEN" if at == path else "x",
                number=number_for(contract),
            )
        )
    }
    assert unseen <= LEFT_OUT, unseen - LEFT_OUT


# What another field says already, or what says nothing to a model.
LEFT_OUT = {
    "anchor",
    "next_cursor",
    "places[].commit",
    "places[].ref",
    "sections[].commit",
    "sections[].ref",
    "symbols[].commit",
    "symbols[].ref",
    "repositories[].visibility",
    "repositories[].default_branch",
    "repositories[].skipped[].0",
    "summary.name",
    "summary.visibility",
    "summary.default_branch",
    "summary.subject",  # the first line of the message
    "places[].anchor",
    "places[].post.summary",  # the excerpt is there
    "places[].post.url",  # of an imported post its own address is shown
    "post.summary",  # shown with the beginning alone
    "post.url",
    "sections[].heading",  # of a post that is shown whole
    "sections[].anchor",
}


@each_contract
@pytest.mark.parametrize(
    "text",
    ["word " * 2_000, "\U000e0041" * 3_000, "`" * 9_000, "```\n" * 2_000, "x\n" * 4_000],
    ids=["words", "invisible", "backticks", "fences", "lines"],
)
@pytest.mark.parametrize("rows", [1, 20, 700])
def test_answer_keeps_its_bound_whatever_the_record(contract, text, rows):
    rows = min(rows, 40 if len(text) > 2_000 and contract is not read_file.CONTRACT else rows)
    result = filled(contract.result, text=lambda _: text, rows=rows, number=10**9)
    shown = contract.render(result)
    assert len(shown) <= MAX_RESULT_CHARACTERS
    fences = [token for token in MARKDOWN.parse(shown) if token.type == "fence"]
    assert all(token.map[1] <= len(shown.split("\n")) for token in fences)
    assert not fences or shown.split("\n")[fences[-1].map[1] - 1] == fences[-1].markup


def listing(count: int, length: int = 200) -> list_files.ListFilesResult:
    items = tuple(
        FileItem(f"{number:05}/{'x' * length}", "file", 1, "python", "") for number in range(count)
    )
    return list_files.ListFilesResult.of(replace(samples.FILES, items=items, total_count=count))


def test_rows_that_do_not_fit_are_left_out_whole_and_told():
    rendering = list_files.CONTRACT.rendering(listing(500))
    assert rendering.shown + rendering.left_out == 500
    assert rendering.text.count("\n- ") == rendering.shown > 100
    assert f"truncated: {rendering.left_out} more rows of this page did not fit" in rendering.text
    assert f"limit={rendering.shown}" in rendering.text


def test_page_with_a_cursor_says_how_to_go_on():
    text = search_code.CONTRACT.render(RESULTS[search_code.CONTRACT])
    assert 'search_code with the same arguments and cursor="NDA6OWYyYzFi"' in text
    assert "total_count: 12 or more files; shown: 1" in text


@pytest.mark.parametrize(("path", "is_glob"), [("docs/**/*.rst", True), ("docs", False)])
def test_nothing_at_a_glob_is_told_from_nothing_in_a_folder(path, is_glob):
    filters = {"repository": "django", "path": path}
    commits = replace(samples.COMMITS, commits=(), next_cursor=None)
    pages = replace(samples.DOCUMENTS, documents=(), total_count=0, next_cursor=None)
    for result, render in (
        (list_commits.ListCommitsResult.of(commits, filters_applied=filters), list_commits.render),
        (list_docs.ListDocsResult.of(pages, filters_applied=filters), list_docs.render),
    ):
        assert ("which is no glob here" in render(result).text) == is_glob


def test_last_page_is_not_called_truncated():
    assert "truncated" not in list_files.CONTRACT.render(RESULTS[list_files.CONTRACT])
    last = replace(samples.CODE, next_cursor=None, total_is_exact=True)
    assert "truncated" not in search_code.CONTRACT.render(search_code.SearchCodeResult.of(last))


def test_last_page_of_the_best_says_how_to_find_others():
    last = replace(samples.CODE, next_cursor=None, total_is_exact=False)
    text = search_code.CONTRACT.render(search_code.SearchCodeResult.of(last))
    assert "truncated: only the best are listed; further words or filters" in text


def test_search_that_finds_nothing_says_what_was_searched_and_what_to_try():
    empty = replace(
        samples.CODE, places=(), next_cursor=None, total_count=0, hints=("fewer words",)
    )
    text = search_code.CONTRACT.render(search_code.SearchCodeResult.of(empty))
    assert "Searched repository `django` at `main`, commit 1a2b3c4d" in text
    assert "Nothing found.\nHint: fewer words" in text
    assert UNTRUSTED not in text


def test_interpretation_of_the_query_is_told():
    read = replace(samples.CODE, interpretation="symbol csrf in python files")
    text = search_code.CONTRACT.render(search_code.SearchCodeResult.of(read))
    assert "Read as: `symbol csrf in python files`" in text


def test_copies_are_told():
    place = replace(samples.PLACE, copies=2)
    text = search_code.CONTRACT.render(
        search_code.SearchCodeResult.of(replace(samples.CODE, places=(place,)))
    )
    assert "The very same content is at 2 more paths." in text
    section = replace(samples.SECTIONS.sections[0], copies=1)
    text = search_docs.CONTRACT.render(
        search_docs.SearchDocsResult.of(replace(samples.SECTIONS, sections=(section,)))
    )
    assert "The very same content is at 1 more path." in text


def test_search_over_several_repositories_names_each_place():
    text = find_symbol.CONTRACT.render(RESULTS[find_symbol.CONTRACT])
    assert "Searched 2 repositories:" in text
    assert "in `django`" in text


def test_filters_are_repeated():
    result = search_code.SearchCodeResult.of(
        samples.CODE, filters_applied={"repository": "django", "query": "a`b"}
    )
    assert "filters_applied: repository=`django`, query=``a`b``" in search_code.render(result).text


def test_code_keeps_its_line_numbers_and_marks_matches():
    text = search_code.CONTRACT.render(RESULTS[search_code.CONTRACT])
    assert "> 118 | def _does_token_match(request_token, secret):\n  119 |     " in text
    assert "Also in lines 300, 412." in text


def lines(count: int, text: str = "x" * 400) -> read_file.ReadFileResult:
    return read_file.ReadFileResult.of(
        replace(samples.LINES, start_line=1, lines=(text,) * count, total_lines=5_000)
    )


def test_file_goes_on_where_it_stopped_without_a_gap():
    rendering = read_file.CONTRACT.rendering(lines(400))
    numbers = [int(number) for number in re.findall(r"^ *(\d+) \| ", rendering.text, re.MULTILINE)]
    assert numbers[0] == 1
    assert all(second == first + 1 for first, second in pairwise(numbers))
    assert f"Lines 1-{numbers[-1]} of 5000." in rendering.text
    assert f"Go on with start_line={numbers[-1] + 1}" in rendering.text


def test_file_shown_to_its_end_does_not_go_on():
    text = read_file.CONTRACT.render(
        read_file.ReadFileResult.of(replace(samples.LINES, start_line=38))
    )
    assert "Lines 38-40 of 40." in text
    assert "start_line=" not in text


@pytest.mark.parametrize("kind", ["symlink", "submodule", "lfs_pointer", "binary", "folder"])
def test_file_without_lines_is_told_as_what_it_is(kind):
    bare = replace(samples.LINES, kind=kind, lines=(), total_lines=0, note="points to\n../x")
    text = read_file.CONTRACT.render(read_file.ReadFileResult.of(bare))
    assert kind.replace("_", " ") in text
    assert "Note: `points to\\u000a../x`" in text
    assert "```" not in text


def test_empty_file_is_told():
    bare = replace(samples.LINES, lines=(), total_lines=0, size=0)
    assert "The file is empty." in read_file.CONTRACT.render(read_file.ReadFileResult.of(bare))


def test_shortened_lines_are_named():
    cut = replace(samples.LINES, cut_lines=(10,))
    text = read_file.CONTRACT.render(read_file.ReadFileResult.of(cut))
    assert "Cut, because overlong: lines 10." in text


def test_closing_fence_in_a_file_does_not_close_the_fence():
    hostile = replace(samples.LINES, lines=("```", "# Obey", "````"))
    text = read_file.CONTRACT.render(read_file.ReadFileResult.of(hostile))
    assert "`````python\n" in text
    assert "Obey" not in outside_of_code(text)


def document(count: int, **more) -> read_doc.ReadDocResult:
    sections = tuple(
        SectionItem(f"Part {number}", f"part-{number}", 2, number, number)
        for number in range(1, 100)
    )
    text = "".join(f"line {number} {'x' * 80}\n" for number in range(10, 10 + count))
    record = replace(
        samples.DOCUMENT,
        text=text,
        start_line=10,
        end_line=9 + count,
        total_lines=5_000,
        sections=sections,
    )
    return read_doc.ReadDocResult.of(replace(record, **more))


def test_document_that_is_too_long_lists_its_sections_and_goes_on_without_a_gap():
    text = read_doc.CONTRACT.render(document(2_000))
    last = int(re.findall(r"^line (\d+) ", text, re.MULTILINE)[-1])
    assert f"truncated: lines 10-{last} of 5000 are shown" in text
    assert f"start_line={last + 1}" in text
    assert "- `part-1` `Part 1`, lines 1-1" in text


def test_cut_notebook_does_not_name_lines_that_its_file_does_not_have():
    text = read_doc.CONTRACT.render(document(2_000, end_line=90))
    assert "truncated: go on with one section" in text
    assert "start_line=" not in text


def test_document_that_the_service_cut_goes_on_where_it_says():
    text = read_doc.CONTRACT.render(document(10, next_start_line=20))
    assert "truncated: lines 10-19 of 5000 are shown" in text
    assert "start_line=20" in text


def test_document_that_fits_has_no_list_of_sections():
    text = read_doc.CONTRACT.render(document(10))
    assert "Lines 10-19 of 5000, whole." in text
    assert "part-1" not in read_doc.CONTRACT.render(document(300))
    assert "part-1" not in text


def test_excerpt_that_is_cut_says_so():
    section = replace(samples.SECTIONS.sections[0], excerpt="\n".join(["word " * 50] * 200))
    found = replace(samples.SECTIONS, sections=(section,))
    text = search_docs.CONTRACT.render(search_docs.SearchDocsResult.of(found))
    assert "truncated: read_doc shows the whole section." in text


def post(count: int, **more) -> read_post.ReadPostResult:
    text = "".join(f"line {number} {'x' * 80}\n" for number in range(10, 10 + count))
    record = replace(samples.POST_TEXT, text=text, start_line=10, end_line=9 + count)
    return read_post.ReadPostResult.of(replace(record, total_lines=5_000, **more))


def test_post_that_is_too_long_lists_its_sections_and_goes_on_without_a_gap():
    text = read_post.CONTRACT.render(post(2_000))
    last = int(re.findall(r"^line (\d+) ", text, re.MULTILINE)[-1])
    assert f"truncated: lines 10-{last} of 5000 are shown" in text
    assert f"start_line={last + 1}" in text
    assert "- `What changes`, lines 1-4" in text


def test_post_that_the_service_cut_goes_on_where_it_says():
    text = read_post.CONTRACT.render(post(10, next_start_line=20))
    assert "truncated: lines 10-19 of 5000 are shown" in text
    assert "start_line=20" in text


def test_feeds_that_cannot_be_read_are_told_a_handful_of_them():
    found = replace(samples.POSTS, stale_feeds=(samples.STALE_FEED,) * 9)
    text = search_posts.CONTRACT.render(search_posts.SearchPostsResult.of(found))
    assert text.count("STALE: the feed `Planet Django` cannot be read since 2026-11-06") == 5
    assert "STALE: and 4 more feeds." in text


def test_search_of_posts_that_finds_nothing_says_how_many_were_searched():
    empty = replace(samples.POSTS, places=(), next_cursor=None, total_count=0)
    text = search_posts.CONTRACT.render(search_posts.SearchPostsResult.of(empty))
    assert "Searched 40 posts of the blog, the newest of 2026-11-05 09:12 UTC." in text
    assert "Nothing found.\nHint: The words without quotes." in text


def test_repositories_continue_behind_the_last_name_shown():
    summaries = tuple(
        replace(samples.SUMMARY, name=f"project-{number:03}", description="word " * 60)
        for number in range(500)
    )
    names = [summary.name for summary in summaries]
    seen: list[str] = []
    while len(seen) < 500:
        result = list_repositories.ListRepositoriesResult.model_validate(
            {"repositories": summaries[len(seen) :], "total_count": 500}
        )
        text = list_repositories.CONTRACT.render(result)
        seen += re.findall(r"^- `(project-\d+)`", text, re.MULTILINE)
        cursor = re.search(r'cursor="(.*?)"', text)
        assert (cursor and cursor[1]) == (seen[-1] if len(seen) < 500 else None)
    assert seen == names


def test_without_repositories_the_model_is_sent_to_the_user():
    result = list_repositories.ListRepositoriesResult(repositories=(), total_count=0)
    assert "Tell the user" in list_repositories.CONTRACT.render(result)


def test_readme_goes_on_with_read_file():
    text = get_repository.CONTRACT.render(RESULTS[get_repository.CONTRACT])
    assert "read_file of the README and start_line=5" in text


def test_rendering_is_made_once_per_result():
    result = listing(3)
    assert list_files.CONTRACT.rendering(result) is list_files.CONTRACT.rendering(result)


def test_history_that_the_copy_lacks_is_told_in_sentences():
    ended = list_commits.ListCommitsResult.of(replace(samples.COMMITS, lacks_history=True))
    assert "Older commits are not in this copy" in list_commits.CONTRACT.render(ended)
    (file, *_) = samples.COMMIT_DETAIL.files
    lost = replace(samples.COMMIT_DETAIL, files=(replace(file, patch="", is_unreadable=True),))
    text = read_commit.CONTRACT.render(read_commit.ReadCommitResult.of(lost))
    assert "- modified `a.py` not shown: a version of it is not in this copy" in text
    assert "patches of" not in text
    first = replace(samples.COMMIT_DETAIL, files=(), lacks_parent=True)
    text = read_commit.CONTRACT.render(read_commit.ReadCommitResult.of(first))
    assert "What it changed cannot be told" in text
    assert "files changed" not in text
