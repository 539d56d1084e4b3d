"""Which language a file is written in, and whether it is a document: from its path and first line.

Languages are named in lower case; a name is what tools take as `language` and what `Content.format`
holds for code. What tree-sitter parses is said by `GRAMMARS`, the rest is cut into windows.
"""

import re
from pathlib import PurePosixPath

_EXTENSIONS: dict[str, str] = {
    "bash": "sh bash bats zsh ksh",
    "c": "c h",
    "clojure": "clj cljs cljc edn",
    "cmake": "cmake",
    "cpp": "cc cpp cxx c++ hpp hh hxx h++ ipp inl cu cuh ino",
    "csharp": "cs csx",
    "css": "css",
    "csv": "csv tsv",
    "dart": "dart",
    "diff": "diff patch",
    "elixir": "ex exs",
    "erlang": "erl hrl",
    "fortran": "f f90 f95 f03 f08",
    "fsharp": "fs fsi fsx",
    "go": "go",
    "graphql": "graphql gql",
    "groovy": "groovy gradle",
    "haskell": "hs lhs",
    "hcl": "tf tfvars hcl",
    "html": "html htm xhtml djhtml jinja jinja2 j2 hbs ejs",
    "ini": "ini cfg conf properties editorconfig",
    "java": "java",
    "javascript": "js jsx mjs cjs es6",
    "json": "json jsonc json5 webmanifest geojson",
    "julia": "jl",
    "kotlin": "kt kts",
    "less": "less",
    "lua": "lua",
    "makefile": "mk mak",
    "nix": "nix",
    "objective-c": "m mm",
    "ocaml": "ml mli",
    "perl": "pl pm t",
    "php": "php phtml php5 inc",
    "powershell": "ps1 psm1 psd1",
    "protobuf": "proto",
    "python": "py pyi pyw py-tpl pyx pxd",
    "r": "r rmd",
    "ruby": "rb rake gemspec ru erb",
    "rust": "rs",
    "scala": "scala sc sbt",
    "scss": "scss sass",
    "sql": "sql ddl",
    "svelte": "svelte",
    "swift": "swift",
    "toml": "toml",
    "tsx": "tsx",
    "typescript": "ts mts cts",
    "vue": "vue",
    "xml": "xml xsd xsl xslt plist csproj rss svg",
    "yaml": "yml yaml",
    "zig": "zig",
    "markdown": "md markdown mdown mkd mdx qmd",
    "restructuredtext": "rst rest",
    "asciidoc": "adoc asciidoc asc",
    "notebook": "ipynb",
    "text": "txt text",
}
_BY_EXTENSION = {
    extension: language
    for language, extensions in _EXTENSIONS.items()
    for extension in extensions.split()
}
_BY_NAME = {
    ".bashrc": "bash",
    ".gitattributes": "ini",
    ".gitignore": "ini",
    ".gitmodules": "ini",
    ".profile": "bash",
    "brewfile": "ruby",
    "cmakelists.txt": "cmake",
    "containerfile": "dockerfile",
    "dockerfile": "dockerfile",
    "gemfile": "ruby",
    "gnumakefile": "makefile",
    "guardfile": "ruby",
    "jenkinsfile": "groovy",
    "justfile": "makefile",
    "makefile": "makefile",
    "pipfile": "toml",
    "podfile": "ruby",
    "procfile": "yaml",
    "rakefile": "ruby",
    "sconstruct": "python",
    "vagrantfile": "ruby",
    "wscript": "python",
    # Prose that customarily has no extension.
    "authors": "text",
    "changelog": "text",
    "changes": "text",
    "contributors": "text",
    "copying": "text",
    "history": "text",
    "install": "text",
    "license": "text",
    "maintainers": "text",
    "news": "text",
    "notice": "text",
    "readme": "text",
    "thanks": "text",
    "todo": "text",
}
_SHEBANG = re.compile(r"^#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+|\w+=\S*\s+)*)?(?:\S*/)?([A-Za-z+]+)")
_BY_INTERPRETER = {
    "ash": "bash",
    "bash": "bash",
    "bun": "typescript",
    "dash": "bash",
    "deno": "typescript",
    "ksh": "bash",
    "lua": "lua",
    "make": "makefile",
    "node": "javascript",
    "nodejs": "javascript",
    "perl": "perl",
    "php": "php",
    "pwsh": "powershell",
    "pypy": "python",
    "python": "python",
    "ruby": "ruby",
    "sh": "bash",
    "uv": "python",
    "zsh": "bash",
}

GRAMMARS = frozenset(
    [
        *("bash", "c", "cpp", "csharp", "go", "java", "javascript"),
        *("php", "python", "ruby", "rust", "sql", "tsx", "typescript"),
    ]
)
DOCUMENT_FORMATS = frozenset(["markdown", "restructuredtext", "asciidoc", "notebook", "text"])
LANGUAGES = tuple(sorted({*_EXTENSIONS, *_BY_NAME.values()}))


_ALIASES = {
    "c#": "csharp",
    "c++": "cpp",
    "golang": "go",
    "node": "javascript",
    "objc": "objective-c",
    "shell": "bash",
    "shellscript": "bash",
}


def language_named(name: str) -> str:
    """Return the language that people call so, by name, alias or extension; empty for none."""
    folded = name.strip().casefold().lstrip(".")
    if folded in LANGUAGES:
        return folded
    return _ALIASES.get(folded) or _BY_EXTENSION.get(folded, "")


def language_of(path: str, *, first_line: str = "") -> str:
    """Return the language of a file by name, then extension, then shebang; empty when unknown."""
    name = PurePosixPath(path).name.lower()
    if known := _BY_NAME.get(name):
        return known
    if name.startswith(("dockerfile.", "containerfile.")):
        return "dockerfile"
    stem, dot, extension = name.rpartition(".")
    if dot and extension in {"in", "tmpl", "template", "tpl", "example", "sample", "dist"}:
        return language_of(stem, first_line=first_line) if stem else ""
    if dot and (known := _BY_EXTENSION.get(extension)):
        return known
    match = _SHEBANG.match(first_line)
    return _BY_INTERPRETER.get(match[1].lower(), "") if match else ""
