#!/bin/sh
# Prints the folder that cargo builds in: CARGO_TARGET_DIR and cargo's own configuration may say another than target/.
# With --check it fails where a script or the Makefile takes a build from target/ all the same.
set -eu
cd "$(dirname "$0")/.."

if [ "${1-}" = --check ]; then
    # Comments, usage lines and what `make help` prints may name the usual folder.
    if grep -rnE '(^|[^$])\btarget/(release|debug|\$)' Makefile scripts | grep -vE '^[^:]+:[0-9]+:[[:space:]]*(#|@echo|scripts/)'; then
        echo "target_dir: not target/ but: scripts/target_dir.sh" >&2
        exit 1
    fi
    exit 0
fi
found=$(${CARGO:-cargo} metadata --format-version 1 --no-deps 2>/dev/null | sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')
echo "${found:-target}"
