"""What globs of callers mean, and what of them is refused."""

import pytest

from web.core.errors import InvalidInput
from web.library.globs import glob_of, is_glob
from web.library.indexing.discover import Rules


@pytest.mark.parametrize(
    ("glob", "matching", "others"),
    [
        ("*.{ts,tsx}", ["a.ts", "d/a.tsx"], ["a.t", "{ts,tsx}"]),
        ("{src,lib}/{a,b}.py", ["src/a.py", "lib/b.py"], ["a.py", "src/lib/a.py"]),
        ("a{,.min}.js", ["a.js", "a.min.js"], ["amin.js"]),
        ("{a,{b,c}d}.py", ["a.py", "bd.py", "cd.py"], ["b.py", "ad.py"]),
        ("{" + "," * 4000 + "{a,b}.py", ["{" + "," * 4000 + "a.py"], ["a.py"]),
        ("{{slug}}/*.py", ["{{slug}}/a.py"], ["slug/a.py"]),
    ],
)
def test_braces_stand_for_each_of_their_parts(glob, matching, others):
    spec = glob_of(glob, argument="path")
    assert [path for path in matching + others if spec.match_file(path)] == matching
    assert is_glob(glob)


@pytest.mark.parametrize("glob", ["{a,b}" * 7, "{a,b}" * 1600, f"{{{'a,' * 100}b}}"])
def test_more_alternatives_than_can_be_looked_at_are_refused(glob):
    with pytest.raises(InvalidInput, match="more than 100 globs") as refused:
        glob_of(glob, argument="pattern")
    assert "pattern" in refused.value.fields


@pytest.mark.parametrize("glob", ["[[:alpha:]]", "docs/[![:digit:]a]*.md", "v[0-9[:punct:]]"])
def test_classes_of_characters_are_refused_with_what_to_write(glob):
    with pytest.raises(InvalidInput, match="class of characters") as refused:
        glob_of(glob, argument="path")
    assert "[0-9] for [[:digit:]]" in refused.value.hint
    assert "path" in refused.value.fields


@pytest.mark.parametrize("glob", ["z[:)*[:^z:]", "[{( )[:é\\:]"])
def test_what_no_engine_takes_is_refused_as_no_glob(glob):
    with pytest.raises(InvalidInput, match="is not a glob"):
        glob_of(glob, argument="path")
    with pytest.raises(InvalidInput, match="malformed"):
        Rules(exclude_globs=[glob])
