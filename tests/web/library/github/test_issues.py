"""Issues of a repository on GitHub: lists, search, comments, writing."""

import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from tests.github_api import TOKEN, label, refusal, reply
from tests.web.local_server import Reply
from web.accounts.principals import ANONYMOUS, Principal
from web.core.errors import Conflict, InvalidInput, NotFound
from web.core.limits import LIMITS
from web.library.github.failures import OutcomeUnknown
from web.library.github.projects import Project as ProjectThere
from web.library.github.query import NARROWING, search_text
from web.library.github.repeats import written_once
from web.library.models import Repository, Visibility
from web.library.selectors.issues import issue_text, issues_listed
from web.library.services.issues import issue_comment, issue_create

MEMBER = Principal(user_id=1, is_member=True)
WHO = {"principal": ANONYMOUS, "repository": "engine", "token": SecretStr(TOKEN)}


def listed(**more):
    return issues_listed(**{**WHO, "limit": 20, **more})


def numbers(**more):
    """Return the numbers of all issues, page by page."""
    pages, cursor = [], None
    while not pages or cursor:
        page = listed(cursor=cursor, **more)
        pages.append([issue.number for issue in page.issues])
        cursor = page.next_cursor
    return pages


def queries(project):
    return [parse_qs(urlsplit(asked.path).query) for asked in project.asked]


class TestList:
    def test_an_issue_has_what_github_says_of_it(self, project):
        project.add("Login fails", labels=[label("bug"), "old label"], comments=2)
        page = listed()
        (issue,) = page.issues
        assert (page.project, page.total_count, page.next_cursor) == ("ada/engine", None, None)
        assert (issue.number, issue.title, issue.state, issue.author) == (
            1,
            "Login fails",
            "open",
            "ada",
        )
        assert issue.labels == ("bug", "old label")
        assert issue.comment_count == 2
        assert issue.url == "https://github.com/ada/engine/issues/1"

    def test_pages_go_on_without_a_gap_and_leave_pull_requests_out(self, project):
        for number in range(1, 131):
            project.add(f"Issue {number}", pull=number % 3 == 0)
        pages = numbers(limit=7)
        wanted = [number for number in range(130, 0, -1) if number % 3]
        assert [number for page in pages for number in page] == wanted
        assert all(len(page) == 7 for page in pages[:-1])

    def test_a_page_of_pull_requests_alone_is_passed_over_within_the_bound(self, project):
        project.add("The only issue")
        for number in range(LIMITS.max_github_pages * 50 + 20):
            project.add(f"Pull {number}", pull=True)
        first = listed()
        assert first.issues == ()
        assert first.looked_at_count == len(project.asked) * 50 == LIMITS.max_github_pages * 50
        assert [one.number for one in listed(cursor=first.next_cursor).issues] == [1]

    def test_a_full_page_at_the_very_end_has_no_cursor(self, project):
        for number in range(50):
            project.add(f"Issue {number}")
        assert listed(limit=50).next_cursor is None
        project.add("Another")
        assert listed(limit=50).next_cursor is not None

    def test_filters_reach_github_and_bind_the_cursor(self, project):
        for number in range(3):
            project.add(f"Issue {number}", state="closed", labels=[label("bug")])
        project.add("Open")
        page = listed(state="closed", labels=("bug",), limit=2)
        assert [one.number for one in page.issues] == [3, 2]
        assert queries(project)[0]["state"] == ["closed"]
        assert queries(project)[0]["labels"] == ["bug"]
        with pytest.raises(InvalidInput, match="cursor"):
            listed(state="open", labels=("bug",), cursor=page.next_cursor)

    def test_a_label_with_a_comma_is_two(self, project):
        with pytest.raises(InvalidInput, match="comma"):
            listed(labels=("bug,help wanted",))
        assert project.asked == []

    def test_an_account_that_is_gone_is_shown_as_github_does(self, project):
        project.add("Old", user=None)
        assert listed().issues[0].author == "ghost"

    def test_a_renamed_repository_is_followed(self, project):
        project.add("Here")
        project.route(
            "/repos/old/engine/issues",
            lambda _: Reply(
                status=301,
                headers={"Location": project.server.url("/api/v3/repos/ada/engine/issues")},
            ),
        )
        Repository.objects.update(url=project.url.replace("ada/", "old/"))
        assert [one.title for one in listed().issues] == ["Here"]


class TestSearch:
    def test_words_are_searched_for_among_the_issues_of_the_repository(self, project):
        project.add("Login fails", labels=[label("bug")])
        project.add("Login works", state="closed")
        project.add("Login pull", pull=True)
        page = listed(query='login "fails"', labels=("bug",))
        assert [one.number for one in page.issues] == [1]
        assert page.total_count == 1
        assert queries(project)[-1]["q"] == [
            'repo:ada/engine is:issue state:open label:"bug" login "fails"'
        ]

    def test_pages_go_on_without_a_gap(self, project):
        for number in range(120):
            project.add(f"needle {number}")
        pages = numbers(query="needle", limit=20)
        assert [number for page in pages for number in page] == list(range(120, 0, -1))

    @pytest.mark.parametrize(
        "query", ["repo:ada/secret x", "x ORG:ada", "is:pr", "-user:ada", "state:closed", "label:x"]
    )
    def test_words_that_choose_another_place_are_refused_with_what_to_use(self, project, query):
        with pytest.raises(InvalidInput) as refused:
            listed(query=query)
        assert refused.value.hint
        assert project.asked == []

    @pytest.mark.parametrize(
        ("query", "sent"),
        [
            ("author:ada in:title x", "author:ada in:title x"),
            ("std::vector", '"std::vector"'),
            ("a OR repo", 'a "OR" repo'),
            ("foo() -bar", '"foo()" "-bar"'),
            ('say "a b', 'say "a" b'),
            ('author:x" "repo:eve/secret"', '"author:x" "repo:eve/secret"'),
            ('author:"a b"x', 'author:"a b" x'),
            ("no:label)OR(repo:eve/secret", '"no:label)OR(repo:eve/secret"'),
            ('author:"a\\" "repo:eve/secret"', '"author: a" "repo:eve/secret"'),
            ('"', ""),
            ("http://x.example/a", '"http://x.example/a"'),
            ("POL-358 multi-agent C++ #12", 'POL-358 multi-agent "C++" #12'),
        ],
    )
    def test_other_words_are_text(self, project, query, sent):
        listed(query=query)
        assert queries(project)[0]["q"] == [f"repo:ada/engine is:issue state:open {sent}".strip()]

    @given(
        query=st.lists(
            st.sampled_from(
                ["repo:eve/x", "author:a", '"', " ", "OR", "(", "\\", "\u200b", "-", ":"]
            )
            | st.text(max_size=6),
            max_size=12,
        ).map("".join),
        label=st.text(max_size=8),
    )
    def test_no_query_and_no_label_leaves_the_repository(self, query, label):
        there = ProjectThere("ada", "engine")
        try:
            sent = search_text(there, state="open", labels=[label], query=query)
        except InvalidInput:
            return
        assert sent.startswith("repo:ada/engine is:issue state:open label:")
        assert sent.count('"') % 2 == 0
        unquoted = re.sub(r'"[^"]*"', " ", sent.removeprefix("repo:ada/engine is:issue state:open"))
        named = {word.partition(":")[0].lstrip("-") for word in unquoted.split() if ":" in word}
        assert {name.lower() for name in named} <= NARROWING | {"label"}

    def test_what_github_finds_elsewhere_is_left_out(self, project):
        here = project.add("needle")
        elsewhere = here | {"repository_url": "https://api.github.com/repos/eve/engine"}
        found = {"total_count": 2, "incomplete_results": True, "items": [elsewhere, here]}
        project.route("/search/issues", reply(found))
        page = listed(query="needle")
        assert len(page.issues) == 1
        assert not page.is_complete

    def test_a_renamed_repository_is_searched_by_its_new_name(self, project):
        project.add("needle")
        project.route("/repos/old/engine", reply({"full_name": "ada/engine"}))
        Repository.objects.update(url=project.url.replace("ada/", "old/"))
        assert [one.number for one in listed(query="needle").issues] == [1]

    def test_a_repository_that_the_token_may_not_search_is_not_found(self, project):
        project.route("/repos/eve/engine", refusal(404, "Not Found"))
        Repository.objects.update(url=project.url.replace("ada/", "eve/"))
        with pytest.raises(NotFound, match="eve/engine"):
            listed(query="needle")


class TestRead:
    def test_an_issue_comes_with_its_comments(self, project):
        project.add("Login", "One\r\ntwo", milestone={"title": "5.2"}, state_reason="reopened")
        project.comment(1, "Me too")
        text = issue_text(**WHO, number=1)
        assert text.text == "One\ntwo"
        assert (text.milestone, text.reason, text.moved_from) == ("5.2", "reopened", "")
        assert [(one.position, one.author, one.text) for one in text.comments] == [
            (1, "ben", "Me too")
        ]

    def test_an_issue_without_text_or_comments_is_read(self, project):
        project.add("Bare", None)
        assert issue_text(**WHO, number=1).text == ""
        assert len(project.asked) == 1

    def test_every_comment_is_reached(self, project):
        project.add("Long")
        for number in range(1, 121):
            project.comment(1, f"Comment {number}")
        seen, start = [], 0
        while len(seen) < 120:
            comments = issue_text(**WHO, number=1, start_comment=start).comments
            assert comments[0].position == len(seen) + 1
            seen += [one.text for one in comments]
            start = len(seen) + 1
        assert seen == [f"Comment {number}" for number in range(1, 121)]
        assert issue_text(**WHO, number=1, start_comment=77).comments[0].text == "Comment 77"
        with pytest.raises(InvalidInput, match="120 comments"):
            issue_text(**WHO, number=1, start_comment=121)

    def test_a_pull_request_is_told_as_one(self, project):
        project.add("Change", pull=True)
        assert issue_text(**WHO, number=1).is_pull_request

    def test_an_issue_that_was_moved_says_where_from(self, project):
        moved = project.add("Moved") | {
            "html_url": "https://github.com/ada/rudder/issues/7",
            "number": 7,
            "comments": 1,
        }
        project.route(
            "/repos/ada/engine/issues/1",
            Reply(status=301, headers={"Location": "/api/v3/repositories/9/issues/7"}),
        )
        project.route("/repositories/9/issues/7", reply(moved))
        project.route("/repos/ada/rudder/issues/7/comments", reply([]))
        text = issue_text(**WHO, number=1)
        assert (text.project, text.issue.number) == ("ada/rudder", 7)
        assert text.moved_from == "ada/engine#1"


class TestWhere:
    @pytest.mark.parametrize(
        ("api", "address", "is_on_it"),
        [
            ("https://api.github.com", "https://github.com/a/b", True),
            ("https://api.github.com", "https://www.github.com/a/b.git", True),
            ("https://api.github.com", "git@github.com:a/b.git", True),
            ("https://api.github.com", "ssh://git@ssh.github.com:443/a/b.git", True),
            ("https://api.github.com", "https://github.com.evil.example/a/b", False),
            ("https://api.github.com", "https://notgithub.com/a/b", False),
            ("https://api.github.com", "https://github.com/a/b/c", False),
            ("https://api.github.com", "https://github.com/a", False),
            ("https://api.github.com", "https://github.com/a/..", False),
            ("https://api.github.com", "https://github.com/a/b?x=1#y", True),
            ("https://api.github.com", "https://github.com/a%2f/b", False),
            ("https://api.github.com", "https://gitlab.com/a/b", False),
            ("https://api.github.com", "/srv/github.com/a", False),
            ("https://git.example/api/v3", "https://git.example/a/b", True),
            ("https://git.example/api/v3", "https://github.com/a/b", False),
            ("https://api.acme.ghe.com", "https://acme.ghe.com/a/b", True),
        ],
    )
    def test_a_repository_is_on_github_by_its_address(self, settings, api, address, is_on_it):
        from web.library.github.projects import project_at

        settings.GITHUB_API_URL = api
        found = project_at(address)
        assert (found is not None) == is_on_it
        assert not found or str(found) == "a/b"

    def test_elsewhere_is_refused_with_those_that_are_on_it(self, project):
        Repository.objects.create(name="lab", url="https://gitlab.com/a/b")
        Repository.objects.create(name="hidden", url=project.url, visibility=Visibility.MEMBERS)
        with pytest.raises(InvalidInput) as refused:
            listed(repository="lab")
        assert refused.value.hint == "Repositories on 127.0.0.1: engine."
        with pytest.raises(InvalidInput) as refused:
            listed(repository="lab", principal=MEMBER)
        assert "hidden" in refused.value.hint
        assert project.asked == []

    def test_a_repository_for_members_is_absent_for_others(self, project):
        Repository.objects.update(visibility=Visibility.MEMBERS)
        with pytest.raises(NotFound):
            listed()
        assert project.asked == []
        assert listed(principal=MEMBER).issues == ()


class TestWrite:
    def test_an_issue_is_created_with_its_labels(self, project):
        made = issue_create(**WHO, title=" Login fails ", body="Text", labels=("bug", "bug"))
        assert (made.number, made.labels, made.missing_labels) == (1, ("bug",), ())
        assert made.url == "https://github.com/ada/engine/issues/1"
        sent = json.loads(project.asked[-1].body)
        assert sent == {"title": "Login fails", "body": "Text", "labels": ["bug"]}

    def test_labels_that_github_drops_are_told(self, project):
        project.sets_labels = False
        made = issue_create(**WHO, title="x", labels=("bug", "Wish"))
        assert (made.labels, made.missing_labels) == ((), ("bug", "Wish"))

    def test_a_comment_is_made(self, project):
        project.add("Here")
        made = issue_comment(**WHO, number=1, body="Fixed.")
        assert made.url == "https://github.com/ada/engine/issues/1#issuecomment-10000"
        assert [one["body"] for one in project.comments[1]] == ["Fixed."]

    @pytest.mark.parametrize("text", ["", "  \n", "x" * (LIMITS.max_issue_characters + 1)])
    def test_a_text_that_github_would_refuse_is_not_sent(self, project, text):
        with pytest.raises(InvalidInput):
            issue_comment(**WHO, number=1, body=text)
        with pytest.raises(InvalidInput):
            issue_create(**WHO, title=text.strip() and "x", body=text)
        assert project.asked == []

    def test_the_same_again_is_answered_with_the_first(self, project):
        first = issue_create(**WHO, title="x", body="y")
        again = issue_create(**WHO, title="x", body="y")
        assert (again.number, again.url, again.is_repeat) == (first.number, first.url, True)
        assert not issue_create(**WHO, title="x", body="z").is_repeat
        assert len(project.issues) == 2
        issue_comment(**WHO, number=1, body="a")
        assert issue_comment(**WHO, number=1, body="a").is_repeat
        assert not issue_comment(**WHO, number=2, body="a").is_repeat
        assert len(project.comments[1]) == 1

    def test_an_answer_that_got_lost_is_looked_for_before_it_is_written_again(self, project):
        def loses(asked):
            project.answer(asked)
            return Reply(b'{"number": 1, "ti', 201, {"Content-Length": "5000"})

        for path, write in (
            ("/repos/ada/engine/issues", lambda: issue_create(**WHO, title="x", body="y")),
            (
                "/repos/ada/engine/issues/1/comments",
                lambda: issue_comment(**WHO, number=1, body="y"),
            ),
        ):
            project.route(path, loses)
            with pytest.raises(OutcomeUnknown, match="is not known"):
                write()
            del project.server.routes[f"/api/v3{path}"]
            assert write().is_repeat
        assert (len(project.issues), len(project.comments[1])) == (1, 1)

    def test_a_request_that_got_lost_is_written_by_the_next_call(self, project):
        project.route("/repos/ada/engine/issues", refusal(502, "Bad Gateway"))
        with pytest.raises(OutcomeUnknown):
            issue_create(**WHO, title="x")
        del project.server.routes["/api/v3/repos/ada/engine/issues"]
        assert not issue_create(**WHO, title="x").is_repeat
        assert len(project.issues) == 1

    def test_after_a_refusal_the_next_call_writes(self, project):
        project.route("/repos/ada/engine/issues", refusal(403, "Resource not accessible"))
        with pytest.raises(Exception, match="may not do this"):
            issue_create(**WHO, title="x")
        del project.server.routes["/api/v3/repos/ada/engine/issues"]
        assert issue_create(**WHO, title="x").number == 1

    def test_a_call_beside_another_of_the_same_writes_nothing(self):
        again = {"write": pytest.fail, "look": pytest.fail}

        def write():
            with pytest.raises(Conflict, match="right now"):
                written_once(WHO["token"], ("beside",), **again)
            return 1, "https://github.com/a/b/issues/1"

        assert written_once(WHO["token"], ("beside",), write=write, look=pytest.fail)[0][0] == 1
        assert written_once(WHO["token"], ("beside",), **again)[1]

    @pytest.mark.usefixtures("project")
    def test_without_a_cache_it_is_written_all_the_same(self, monkeypatch, caplog):
        from web.library.github import repeats

        class Away:
            def __getattr__(self, name):
                raise ConnectionError("redis://:planted@host")

        monkeypatch.setattr(repeats, "cache", Away())
        assert issue_create(**WHO, title="x").number == 1
        assert "the cache does not answer (ConnectionError)" in caplog.text
        assert "planted" not in caplog.text
