#!/bin/sh
# Installs what `make test-all` needs: PostgreSQL, Redis, nginx, Chromium, sshd, npm. For Debian and
# Ubuntu. An npm that is there already, from wherever, is left alone.
set -eu
if ! command -v apt-get >/dev/null 2>&1; then
    echo "make services installs with apt. Install PostgreSQL, Redis, nginx, Chromium, OpenSSH's server and npm by your system's means." >&2
    exit 1
fi
as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 || {
        echo "make services needs root: run it as root, or install sudo." >&2
        exit 1
    }
    as_root="sudo --preserve-env=DEBIAN_FRONTEND"
fi
missing=
for package in postgresql redis-server nginx chromium openssh-server; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -q '^installed$' \
        || missing="$missing $package"
done
command -v npm >/dev/null 2>&1 || missing="$missing npm"
if [ -z "$missing" ]; then
    echo "PostgreSQL, Redis, nginx, Chromium, OpenSSH's server and npm are installed."
    exit 0
fi
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -q
# shellcheck disable=SC2086 # a list of words
$as_root apt-get install -q -y --no-install-recommends $missing
