#!/bin/sh
# Runs every test. cargo-nextest is used where it is installed: it is faster, and a hung test cannot hang the run.
set -eu
cd "$(dirname "$0")/.."

if cargo nextest --version >/dev/null 2>&1; then
    cargo nextest run --locked --profile ci
else
    cargo test --locked
fi
cargo test --locked --doc
