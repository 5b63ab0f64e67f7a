#!/bin/sh
# Installs what building and testing vramp needs on Debian or Ubuntu, and nothing when it is all there.
# Arguments are packages to install beside. On other systems it only checks, and says what is missing.
set -eu

# The oldest compiler that Cargo.toml allows.
need_rust=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$(dirname "$0")/../Cargo.toml")

packages="build-essential pkg-config clang libclang-dev curl ca-certificates ffmpeg python3-venv xz-utils
libavcodec-dev libavfilter-dev libavformat-dev libavutil-dev libswscale-dev libass9 fonts-dejavu-core mediainfo mkvtoolnix $*"

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

install_packages() {
    missing=
    for package in $packages; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
    done
    [ -z "$missing" ] && return
    echo "setup: installing$missing"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
}

rust_is_new_enough() {
    command -v cargo >/dev/null && command -v rustc >/dev/null || return 1
    have=$(rustc --version | cut -d' ' -f2)
    [ "$(printf '%s\n%s\n' "$need_rust" "$have" | sort -V | head -n 1)" = "$need_rust" ]
}

install_rust() {
    rust_is_new_enough && return
    echo "setup: installing Rust with rustup (vramp needs $need_rust or newer)"
    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal -c rustfmt -c clippy
    PATH="$HOME/.cargo/bin:$PATH"
    rust_is_new_enough || { echo "setup: Rust $need_rust could not be installed; get it from https://rustup.rs" >&2; exit 1; }
}

if command -v apt-get >/dev/null; then
    install_packages
else
    for tool in cc clang pkg-config ffmpeg python3 xz melt gst-launch-1.0; do
        command -v $tool >/dev/null || { echo "setup: please install $tool (and FFmpeg's development files)" >&2; exit 1; }
    done
fi
install_rust
