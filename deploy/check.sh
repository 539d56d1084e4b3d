#!/bin/sh
# Everything that must hold for a commit, besides the tests. Runs all parts, then says which failed.
set -u
cd "$(dirname "$0")/.."
PORTOLAN_DATA_DIR=$(mktemp -d)
export PORTOLAN_DATA_DIR PORTOLAN_DEBUG=1
trap 'rm -rf "$PORTOLAN_DATA_DIR"' EXIT
PATH="$PWD/.venv/bin:$PATH"
failed=

part() {
    name=$1
    shift
    echo "== $name"
    "$@" || failed="$failed
  $name"
}

# The product stands alone: no file speaks of the place where it was made.
no_foreign_words() {
    if git rev-parse --git-dir >/dev/null 2>&1; then
        ! git grep -n -I -E '/wor[k]/(main|shared)|\.\./share[d]/' -- .
    fi
}

# The longest part runs beside the others.
mypy >"$PORTOLAN_DATA_DIR/types" 2>&1 &
mypy=$!

types() {
    code=0
    wait "$mypy" || code=$?
    cat "$PORTOLAN_DATA_DIR/types"
    return "$code"
}

part "format" ruff format --check .
part "lint" ruff check .
part "import contracts" lint-imports
part "generated documentation" python manage.py generate_docs --check
part "migrations" python manage.py makemigrations --check --dry-run
part "lock file" uv lock --check
part "stands alone" no_foreign_words
part "types" types

if [ -n "$failed" ]; then
    printf '\nFailed:%s\n' "$failed" >&2
    exit 1
fi
printf '\nAll checks passed.\n'
