#!/bin/sh
# Makes .venv: a Python of at least 3.12, uv, and exactly the packages of uv.lock.
# Needs such a Python, or uv (which brings one). Run again, it mends what is missing.
set -eu
cd "$(dirname "$0")/.."

is_fit() {
    [ -x "$1" ] && "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 12))' \
        >/dev/null 2>&1
}

# Prints the first fit Python. Every folder of PATH is tried for every name, since the first hit
# may be the shim of a version manager that does not have the version it is asked for.
find_python() {
    for name in python3.13 python3.14 python3.12 python3 python; do
        old_ifs=$IFS
        IFS=:
        for folder in $PATH; do
            IFS=$old_ifs
            if is_fit "$folder/$name"; then
                "$folder/$name" -c 'import sys; print(sys._base_executable)'
                return 0
            fi
        done
        IFS=$old_ifs
    done
    for path in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-9]*/bin/python3; do
        if is_fit "$path"; then
            echo "$path"
            return 0
        fi
    done
    return 1
}

export UV_COMPILE_BYTECODE=1
unset VIRTUAL_ENV
if [ -x .venv/bin/uv ] && is_fit .venv/bin/python && .venv/bin/uv --version >/dev/null 2>&1; then
    .venv/bin/uv sync --frozen --quiet --python .venv/bin/python
    exit 0
fi

python=$(find_python) || python=
if uv --version >/dev/null 2>&1; then
    echo "Setting up .venv with uv and Python ${python:-3.13} ..."
    uv sync --frozen --quiet --python "${python:-3.13}"
elif [ -n "$python" ]; then
    echo "Setting up .venv with $python ..."
    "$python" -m venv --clear .venv
    .venv/bin/python -m pip install --quiet --disable-pip-version-check 'uv>=0.9'
    .venv/bin/uv sync --frozen --quiet --python .venv/bin/python
else
    echo "Portolan needs Python 3.12 or newer with its venv module, or uv." >&2
    echo "Install one of them: for example 'apt install python3 python3-venv', or see https://docs.astral.sh/uv/." >&2
    exit 1
fi
