#!/bin/sh
# Fetches OpenFX's headers and the classes for hosts that come with them into target/openfx; nothing when they are there. A crate
# has them.
set -eu
cd "$(dirname "$0")/.."
openfx=0.1.0
[ ! -e target/openfx/HostSupport ] || exit 0
echo "setup: fetching OpenFX"
cargo info --quiet openfx-sys@$openfx >/dev/null
mkdir -p target/openfx
for part in include HostSupport; do
    set -- "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/openfx-sys-$openfx/openfx/$part
    cp -rT "$1" target/openfx/$part
done
