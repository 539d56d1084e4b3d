"""Definitions in every language that has a grammar: name, kind, scope, first and last line."""

import itertools

import pytest

from web.library.indexing.analysis import analyse

SAMPLES = {
    "python": (
        "import x\nMAX = 3\n\n@deco\nclass A(B):\n    size = 1\n    @property\n    def go(self):\n        def inner(): pass\n        return 1\n\nasync def run(): pass\n",
        [
            ("MAX", "constant", "", 2, 2),
            ("A", "class", "", 5, 10),
            ("size", "field", "A", 6, 6),
            ("go", "method", "A", 8, 10),
            ("inner", "function", "A.go", 9, 9),
            ("run", "function", "", 12, 12),
        ],
    ),
    "javascript": (
        "const LIMIT = 3;\nexport class A { go() {} static x = 1 }\nfunction f() {}\nconst g = () => 1;\nexport default function h() {}\n",
        [
            ("LIMIT", "constant", "", 1, 1),
            ("A", "class", "", 2, 2),
            ("go", "method", "A", 2, 2),
            ("x", "field", "A", 2, 2),
            ("f", "function", "", 3, 3),
            ("g", "function", "", 4, 4),
            ("h", "function", "", 5, 5),
        ],
    ),
    "typescript": (
        "interface I { a: number }\ntype T = string;\nenum E { A }\nexport abstract class C<T> { private go(): void {} }\nexport const f = async () => {};\n",
        [
            ("I", "interface", "", 1, 1),
            ("a", "field", "I", 1, 1),
            ("T", "type", "", 2, 2),
            ("E", "enum", "", 3, 3),
            ("A", "constant", "E", 3, 3),
            ("C", "class", "", 4, 4),
            ("go", "method", "C", 4, 4),
            ("f", "function", "", 5, 5),
        ],
    ),
    "go": (
        "package main\nconst Max = 3\ntype S struct { A int }\ntype I interface { Go() }\nfunc (s *S) Go() {}\nfunc main() {}\n",
        [
            ("Max", "constant", "", 2, 2),
            ("S", "struct", "", 3, 3),
            ("A", "field", "S", 3, 3),
            ("I", "interface", "", 4, 4),
            ("Go", "method", "I", 4, 4),
            ("Go", "method", "S", 5, 5),
            ("main", "function", "", 6, 6),
        ],
    ),
    "rust": (
        "const MAX: u32 = 3;\nstruct S;\nenum E { A }\ntrait T { fn go(&self); }\nimpl S { fn new() -> S { S } }\nmacro_rules! m { () => {} }\nmod inner { pub fn f() {} }\n",
        [
            ("MAX", "constant", "", 1, 1),
            ("S", "struct", "", 2, 2),
            ("E", "enum", "", 3, 3),
            ("A", "constant", "E", 3, 3),
            ("T", "trait", "", 4, 4),
            ("go", "method", "T", 4, 4),
            ("new", "method", "S", 5, 5),
            ("m", "macro", "", 6, 6),
            ("inner", "module", "", 7, 7),
            ("f", "function", "inner", 7, 7),
        ],
    ),
    "java": (
        "package a;\npublic class A { static final int MAX = 1; void go() {} interface I { void x(); } enum E { P } }\nrecord R(int a) {}\n",
        [
            ("A", "class", "", 2, 2),
            ("MAX", "constant", "A", 2, 2),
            ("go", "method", "A", 2, 2),
            ("I", "interface", "A", 2, 2),
            ("E", "enum", "A", 2, 2),
            ("P", "constant", "A.E", 2, 2),
            ("x", "method", "A.I", 2, 2),
            ("R", "class", "", 3, 3),
        ],
    ),
    "c": (
        "#define MAX 3\ntypedef struct node { int a; } node_t;\nstatic int add(int a, int b) { return a + b; }\nenum color { RED };\nint proto(void);\n",
        [
            ("MAX", "macro", "", 1, 1),
            ("node_t", "type", "", 2, 2),
            ("node", "struct", "", 2, 2),
            ("a", "field", "node", 2, 2),
            ("add", "function", "", 3, 3),
            ("color", "enum", "", 4, 4),
            ("RED", "constant", "color", 4, 4),
        ],
    ),
    "cpp": (
        "namespace n { class A { public: void go(); int x; }; }\nvoid n::A::go() {}\ntemplate <class T> T f(T t) { return t; }\n",
        [
            ("n", "module", "", 1, 1),
            ("A", "class", "n", 1, 1),
            ("x", "field", "n.A", 1, 1),
            ("go", "method", "n.A", 2, 2),
            ("f", "function", "", 3, 3),
        ],
    ),
    "csharp": (
        "namespace N { public class A { const int Max = 1; public int P { get; set; } void Go() {} } interface I {} }\n",
        [
            ("N", "module", "", 1, 1),
            ("A", "class", "N", 1, 1),
            ("I", "interface", "N", 1, 1),
            ("Max", "constant", "N.A", 1, 1),
            ("P", "field", "N.A", 1, 1),
            ("Go", "method", "N.A", 1, 1),
        ],
    ),
    "ruby": (
        "module M\n  class A\n    MAX = 1\n    def go; end\n    def self.make; end\n  end\nend\n",
        [
            ("M", "module", "", 1, 7),
            ("A", "class", "M", 2, 6),
            ("MAX", "constant", "M.A", 3, 3),
            ("go", "method", "M.A", 4, 4),
            ("make", "method", "M.A", 5, 5),
        ],
    ),
    "php": (
        "<?php\nnamespace N;\nconst MAX = 1;\nclass A { const B = 2; function go() {} }\nfunction f() {}\ntrait T {}\n",
        [
            ("N", "module", "", 2, 2),
            ("MAX", "constant", "", 3, 3),
            ("A", "class", "", 4, 4),
            ("go", "method", "A", 4, 4),
            ("B", "constant", "A", 4, 4),
            ("f", "function", "", 5, 5),
            ("T", "trait", "", 6, 6),
        ],
    ),
    "sql": (
        "CREATE TABLE users (id int);\nCREATE FUNCTION f() RETURNS int AS $$ select 1 $$ LANGUAGE sql;\nCREATE VIEW v AS SELECT 1;\nCREATE INDEX i ON users(id);\n",
        [
            ("users", "table", "", 1, 1),
            ("f", "function", "", 2, 2),
            ("v", "view", "", 3, 3),
        ],
    ),
    "bash": (
        "MAX=3\nfoo() { echo; }\nfunction bar { echo; }\n",
        [
            ("MAX", "constant", "", 1, 1),
            ("foo", "function", "", 2, 2),
            ("bar", "function", "", 3, 3),
        ],
    ),
}


def found(text, language):
    symbols = analyse(text, format=language, is_document=False).symbols
    return [(each.name, each.kind, each.scope, each.line, each.end_line) for each in symbols]


@pytest.mark.parametrize("language", SAMPLES)
def test_definitions_are_found_with_kind_scope_and_lines(language):
    text, expected = SAMPLES[language]
    assert found(text, language) == expected


@pytest.mark.parametrize("language", SAMPLES)
def test_a_broken_file_keeps_the_definitions_before_the_damage(language):
    text, expected = SAMPLES[language]
    names = {row[0] for row in found(text + "\n)]}{{{ <<<<<<< HEAD\n", language)}
    assert names & {row[0] for row in expected}


@pytest.mark.parametrize("language", SAMPLES)
def test_text_of_anything_never_raises(language):
    for text in ("", "\0", "(" * 20_000, "{" * 20_000, "a" * 100_000, "\ud7ff\u2028\x0c"):
        analyse(text, format=language, is_document=False)


@pytest.mark.parametrize(
    ("language", "pattern"),
    [("java", "a<"), ("csharp", "a<"), ("c", "a=>"), ("bash", "a|"), ("tsx", "a<b,c<d,")],
)
def test_repetition_that_makes_a_parser_explode_is_read_without_definitions(language, pattern):
    # Each of these took gigabytes and killed its process.
    analysis = analyse("x\n" + pattern * 100_000, format=language, is_document=False)
    assert analysis.symbols == ()
    assert analysis.chunks


def test_repetition_does_not_hide_that_a_table_is_part_of_a_program():
    table = "".join(f"    {number * 7919 % 65536:#06x},\n" for number in range(3_000))
    text = "static const int codes[] = {\n" + table + "};\nint lookup(int i) { return codes[i]; }\n"
    assert [each[0] for each in found(text, "c")] == ["codes", "lookup"]


def test_names_and_scopes_fit_their_columns():
    deep = "".join(f"{'    ' * depth}class {'A' * 60}{depth}:\n" for depth in range(16))
    text = deep + "    " * 16 + "x = 1\n" + f"{'b' * 300} = 1\n"
    symbols = analyse(text, format="python", is_document=False).symbols
    assert len(symbols) == 17
    assert all(len(each.scope) <= 255 for each in symbols)
    assert symbols[-1].scope.endswith("A15")


def test_a_header_of_cpp_is_not_read_as_c():
    text = "namespace app {\nclass Engine {\n public:\n  void run() {}\n};\n}\n"
    assert ("run", "method", "app.Engine", 4, 4) in found(text, "c")


def test_a_part_of_a_long_definition_names_what_it_belongs_to():
    text = "class Shop:\n    def sell(self):\n" + "        work()\n" * 300
    chunks = analyse(text, format="python", is_document=False).chunks
    assert len(chunks) > 2
    assert all("sell" in chunk.heading.split() for chunk in chunks)
    assert chunks[-1].trail == ("Shop",)


def test_a_large_class_begins_a_chunk_of_its_own():
    methods = "".join(f"    def m{number}(self):\n        return 1\n\n" for number in range(40))
    text = "def before():\n    return 1\n\n\nclass Big:\n" + methods
    starts = [
        chunk.start_line for chunk in analyse(text, format="python", is_document=False).chunks
    ]
    assert 5 in starts


def test_a_definition_begins_with_its_decorators_and_comments():
    text = "x = 1\n" * 70 + "# Why.\n@cached\ndef wanted():\n" + "    y = 2\n" * 70
    chunks = analyse(text, format="python", is_document=False).chunks
    wanted = next(chunk for chunk in chunks if "wanted" in chunk.heading.split())
    assert wanted.start_line == 71


def test_chunks_are_in_order_cover_the_code_and_never_overlap():
    text = "".join(f"def f{number}():\n    return {number}\n\n\n" for number in range(300))
    chunks = analyse(text, format="python", is_document=False).chunks
    assert chunks[0].start_line == 1
    for above, below in itertools.pairwise(chunks):
        assert above.end_line < below.start_line
    covered = {n for chunk in chunks for n in range(chunk.start_line, chunk.end_line + 1)}
    lines = text.split("\n")
    assert all(number in covered for number, line in enumerate(lines, 1) if line.strip())


def test_a_language_without_grammar_is_cut_into_windows():
    analysis = analyse("key: value\n" * 500, format="yaml", is_document=False)
    assert analysis.symbols == ()
    assert len(analysis.chunks) > 3
