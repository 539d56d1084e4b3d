#!/bin/sh
# optional.sh PATH WHAT COMMAND…: runs COMMAND where PATH exists, else says that WHAT is not there.
set -eu
path=$1
what=$2
shift 2
if [ ! -e "$path" ] && [ ! -e "$path.py" ]; then
    echo "This release does not have $what yet ($path); a later one brings it." >&2
    exit 1
fi
exec "$@"
