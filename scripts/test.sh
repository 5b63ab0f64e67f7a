#!/bin/sh
# Runs every test. cargo-nextest is used where it is installed: it is faster, and a hung test cannot hang the run.
set -eu
cd "$(dirname "$0")/.."
export VRAMP_CASES="${VRAMP_CASES-third}"

if cargo nextest --version >/dev/null 2>&1; then
    cargo nextest run --locked --profile ci
    cargo nextest run --locked --profile ci -p vramp-plugin
else
    cargo test --locked
    cargo test --locked -p vramp-plugin
fi
cargo test --locked --doc
