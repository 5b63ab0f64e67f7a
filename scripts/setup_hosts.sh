#!/bin/sh
# Fetches the hosts that the plugin is tested in and no distribution has, Vulkan, OpenFX and OpenJD, into target/; nothing when they are there.
set -eu
cd "$(dirname "$0")/.."

requirements=plugin-abi/tests/vapoursynth/requirements.txt
hosts=target/vapoursynth
# VapourSynth's wheels say that they need at least this. Its core needs none.
oldest_python=3.12

# The first of the usual places with a Python that VapourSynth takes.
new_python() {
    for python in python3.14 python3.13 python3.12 python3 "$HOME"/.pyenv/versions/3.*/bin/python3; do
        "$python" -c "import sys; sys.exit(sys.version_info < tuple(map(int, '$oldest_python'.split('.'))))" 2>/dev/null &&
            "$python" -c 'import ensurepip' 2>/dev/null && { command -v "$python"; return; }
    done
}

# The wheels themselves: headers, core and plugin, which the Python-less tests load.
fetch_wheels() {
    python3 -m venv --clear $hosts/pip
    $hosts/pip/bin/pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
        --python-version $oldest_python --dest $hosts/wheels --requirement $requirements
    for wheel in $hosts/wheels/*.whl; do
        python3 -m zipfile -e "$wheel" $hosts/unpacked
    done
}

# A Python that VapourSynth is installed in, for scripts.
install_in_python() {
    "$1" -m venv --clear $hosts/python
    $hosts/python/bin/pip install --quiet --disable-pip-version-check --no-index --find-links $hosts/wheels \
        --requirement $requirements
    XDG_CONFIG_HOME=$PWD/$hosts/config $hosts/python/bin/vapoursynth config >/dev/null
    # Without it vspipe finds no Python: this one comes without a shared library.
    [ -e $hosts/config/vapoursynth/vapoursynth.toml ] || rm -r $hosts/python
}

if ! cmp -s $requirements $hosts/ready; then
    echo "setup: fetching VapourSynth"
    rm -rf $hosts
    mkdir -p $hosts/unpacked
    fetch_wheels
    python=$(new_python)
    [ -z "$python" ] || install_in_python "$python"
    [ -e $hosts/python ] || echo "setup: no Python $oldest_python or newer as a library: VapourSynth is tested without scripts"
    cp $requirements $hosts/ready
fi

# Vulkan's headers, and a driver of 1.4 that needs no GPU, from Debian. Where it does not load, tests say so and pass.
vulkan=target/vulkan
debian=http://deb.debian.org/debian
fetch_package() {
    file=$(curl -fsS "$debian/dists/$1/main/binary-$(dpkg --print-architecture)/Packages.xz" | xz -dc |
        sed -n "/^Package: $2\$/,/^\$/s/^Filename: //p")
    curl -fsS "$debian/$file" -o $vulkan/package.deb && dpkg -x $vulkan/package.deb $vulkan
}
if [ ! -e $vulkan/ready ] && command -v dpkg >/dev/null; then
    echo "setup: fetching Vulkan"
    mkdir -p $vulkan
    fetch_package trixie libvulkan-dev
    fetch_package bookworm-backports mesa-vulkan-drivers || echo "setup: no Vulkan driver: clips in GPU memory are not tested"
    rm -f $vulkan/package.deb
    touch $vulkan/ready
fi

# OpenFX's classes for hosts, with its example of a host, as a library.
scripts/setup_openfx.sh
if [ ! -e target/openfx/hostsupport.a ]; then
    mkdir -p target/openfx/objects
    classes=target/openfx/HostSupport
    for source in $classes/src/*.cpp $classes/examples/hostDemo?*.cpp; do
        c++ -std=c++14 -w -O1 -include cstring -include climits -Itarget/openfx/include -I$classes/include \
            -c "$source" -o target/openfx/objects/"$(basename "$source" .cpp)".o
    done
    ar rcs target/openfx/hostsupport.a target/openfx/objects/*.o
fi

# What runs job templates of vramp submit.
openjd=scripts/farm/requirements.txt
if ! cmp -s $openjd target/openjd/ready; then
    echo "setup: fetching OpenJD"
    python3 -m venv --clear target/openjd
    target/openjd/bin/pip install --quiet --disable-pip-version-check --requirement $openjd
    cp $openjd target/openjd/ready
fi
