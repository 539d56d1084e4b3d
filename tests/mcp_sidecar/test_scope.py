import pytest

from mcp_sidecar.scope import RepositoryScope
from web.core.errors import InvalidInput
from web.core.limits import LIMITS

SCOPE = RepositoryScope(("django", "wagtail"))
MANY = RepositoryScope(tuple(f"project-{n}" for n in range(LIMITS.max_repository_enum + 1)))


def test_named_repository_is_the_one_of_the_call():
    assert SCOPE.resolve("wagtail", required=True) == "wagtail"


@pytest.mark.parametrize("name", [None, ""])
def test_no_name_means_all_where_none_is_required(name):
    assert SCOPE.resolve(name, required=False) is None


@pytest.mark.parametrize("name", [None, ""])
def test_missing_name_is_refused_with_the_names_where_one_is_required(name):
    with pytest.raises(InvalidInput) as caught:
        SCOPE.resolve(name, required=True)
    assert "django, wagtail" in caught.value.hint


def test_unknown_name_is_refused_with_the_names():
    with pytest.raises(InvalidInput) as caught:
        SCOPE.resolve("flask", required=False)
    assert "'flask'" in caught.value.message
    assert "django, wagtail" in caught.value.hint


def test_endpoint_of_one_repository_decides_itself():
    scope = RepositoryScope(("django", "wagtail"), single="django")
    assert scope.resolve("wagtail", required=True) == "django"
    assert scope.offered is None
    assert SCOPE.offered == ("django", "wagtail")


def test_of_many_names_the_nearest_are_listed_and_where_the_rest_is():
    with pytest.raises(InvalidInput) as caught:
        MANY.resolve("projet-7", required=False)
    assert "project-7" in caught.value.hint
    assert f"list_repositories shows all {len(MANY.names)}" in caught.value.hint
    assert len(caught.value.hint) < 500


def test_without_repositories_the_model_is_sent_to_the_user():
    with pytest.raises(InvalidInput) as caught:
        RepositoryScope(()).resolve(None, required=True)
    assert "tell the user" in caught.value.hint
