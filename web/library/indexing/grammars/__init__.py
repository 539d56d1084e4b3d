"""What a definition is in each language: tables over the node types of its tree-sitter grammar.

A grammar's wheel is loaded at its first use and never downloaded at run time.
"""

from functools import cache
from importlib import import_module

import tree_sitter

from web.library.indexing.grammars.base import Grammar

_MODULES = {
    "bash": "shell_and_sql",
    "c": "c_family",
    "cpp": "c_family",
    "csharp": "managed",
    "go": "go_and_rust",
    "java": "managed",
    "javascript": "ecmascript",
    "php": "scripting",
    "python": "scripting",
    "ruby": "scripting",
    "rust": "go_and_rust",
    "sql": "shell_and_sql",
    "tsx": "ecmascript",
    "typescript": "ecmascript",
}
_WHEELS = {
    "csharp": ("tree_sitter_c_sharp", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
}
# So many readings of hostile source are followed at once that 2 kB take up to 170 MB, and more
# the square of that.
AMBIGUOUS_LANGUAGES = frozenset({"bash", "c", "cpp", "csharp", "java", "rust", "tsx", "typescript"})
# Nesting takes up to 170 MB in 128 kB, and in 350 kB more than the stack.
DEEP_LANGUAGES = frozenset({"go", "javascript"})


@cache
def grammar_of(language: str) -> Grammar | None:
    """Return the table of a language, or None where no grammar is known."""
    module = _MODULES.get(language)
    if module is None:
        return None
    tables: dict[str, Grammar] = import_module(f"{__name__}.{module}").GRAMMARS
    return tables[language]


@cache
def parser_language(language: str) -> tree_sitter.Language:
    """Return the compiled grammar of a language that `grammar_of` knows."""
    module, function = _WHEELS.get(language, (f"tree_sitter_{language}", "language"))
    return tree_sitter.Language(getattr(import_module(module), function)())
