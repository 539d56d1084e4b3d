"""Which words of a query decide what is looked at."""

import pytest

from tests.gitrepos import GitRepository
from tests.library import add_and_sync
from web.accounts.principals import ANONYMOUS
from web.library.search.backends import backend
from web.library.search.plan import Effort, plan_for
from web.library.search.query import Filters, parse_query
from web.library.selectors.search_refs import searched_refs

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("repository", "stretch", "essential"),
    [
        (None, 4, ("anchor", "buoy")),
        ("harbour", 4, ("anchor", "buoy", "crane")),
        ("harbour", 2, ("anchor", "buoy")),
    ],
)
def test_more_words_decide_where_few_of_the_texts_with_them_are_searched(
    origin: GitRepository, tmp_path, repository, stretch, essential
):
    words = {"anchor": 3, "buoy": 4, "crane": 13}
    elsewhere = {
        f"{number}.py": "\n".join(
            [*(word for word in words if number < words[word]), f"lamp_{number}"]
        )
        for number in range(15)
    }
    origin.write(elsewhere).commit()
    add_and_sync("elsewhere", origin.url)
    harbour = GitRepository(tmp_path / "harbour").write({"quay.py": "anchor, buoy, crane\n"})
    harbour.commit()
    add_and_sync("harbour", harbour.url)
    refs = searched_refs(ANONYMOUS, repository, None, Filters())
    plan = plan_for(
        parse_query("anchor buoy crane"),
        refs.scope(is_document=False),
        backend=backend(),
        generation=refs.generation,
        effort=Effort(texts=9, pairs=0, stretch=stretch),
    )
    assert plan.essential == essential
