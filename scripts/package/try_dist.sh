#!/bin/sh
# Runs the tarball in other systems: scripts/package/try_dist.sh TARBALL [TREE]...
# A TREE is a folder that holds a system, or one of these, which are made in target/trees and kept there:
#   bare             a shell, and not one library
#   lib64            glibc in /lib64 alone, where Fedora and its kin have it
#   debian:RELEASE   what debootstrap makes of it, and so for
#   ubuntu:RELEASE   Ubuntu
# Without any: bare lib64 debian:bookworm ubuntu:noble debian:trixie. A tree that cannot be had is named, and is no failure
# unless it was asked for.
set -eu
tarball=$(realpath "$1")
shift
asked=$#
[ $# -gt 0 ] || set -- bare lib64 debian:bookworm ubuntu:noble debian:trixie
cd "$(dirname "$0")/../.."
trees=target/trees
debian=http://deb.debian.org/debian
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p $trees

# A shell for a system that has no packages: one program, statically linked.
shell_in() {
    mkdir -p "$1/bin" "$1/tmp" "$1/dev" "$1/proc"
    cp "$(command -v busybox)" "$1/bin/busybox"
    for tool in sh dirname readlink; do ln -sf busybox "$1/bin/$tool"; done
}

# Debian's libraries of 64 bits for systems of 32 lie in /lib64.
lib64_in() {
    mkdir -p "$1/usr/lib64" "$work/unpacked"
    ln -sfn usr/lib64 "$1/lib64"
    curl -fsS $debian/dists/bookworm/main/binary-i386/Packages.xz | xz -dc > "$work/packages" || return 1
    for package in libc6-amd64 lib64gcc-s1; do
        file=$(sed -n "/^Package: $package\$/,/^\$/s/^Filename: //p" "$work/packages")
        curl -fsS "$debian/$file" -o "$work/package.deb" && dpkg -x "$work/package.deb" "$work/unpacked" || return 1
    done
    cp -a "$work"/unpacked/lib64/. "$1/usr/lib64/"
    shell_in "$1"
}

# Older versions of debootstrap do not know newer releases, which are made as those before them.
debootstrap_in() {
    into=$1 release=$2 mirror=$3 like=/usr/share/debootstrap/scripts/$4
    [ ! -e "/usr/share/debootstrap/scripts/$release" ] || like=
    debootstrap --variant=minbase "$release" "$PWD/$into" "$mirror" $like > "$into.log" 2>&1 || { tail -n 3 "$into.log"; return 1; }
}

# Makes the tree called $1 in the folder $2.
make_tree() {
    case $1 in
    bare) shell_in "$2" ;;
    lib64) lib64_in "$2" ;;
    debian:*) debootstrap_in "$2" "${1#*:}" $debian sid ;;
    ubuntu:*) debootstrap_in "$2" "${1#*:}" http://archive.ubuntu.com/ubuntu gutsy ;;
    *) echo "no such tree: $1" >&2; return 1 ;;
    esac
}

# The folder of the tree called $1, made where it is not there.
folder_of() {
    if [ -d "$1" ]; then realpath "$1"; return; fi
    folder=$trees/$(echo "$1" | tr : -)
    if [ ! -e "$folder.ready" ]; then
        rm -rf "$folder" && make_tree "$1" "$folder" >&2 || return 1
        touch "$folder.ready"
    fi
    realpath "$folder"
}

# Hashes of what the plugin gives: a program in C loads the library, and a copy that is an effect of frei0r.
smoke() {
    "$@" /opt/lib/libvramp.so.1 /opt/lib/frei0r-1/vramp_deband.so
}

# Unpacks the tarball in the tree $1, and uses all of it.
try_in() {
    root=$1
    rm -rf "$root/opt"
    mkdir -p "$root/opt" "$root/tmp"
    tar --extract --file "$tarball" --directory "$root/opt" --strip-components=1
    cp samples/banded-gradient.mkv "$root/opt/in.mkv"
    cp samples/big-buck-bunny-720p.mp4 "$root/opt/in.mp4"
    cp "$work/smoke" "$root/opt/smoke"
    run="chroot $root /opt/bin/vramp"
    $run --version | head -n 1
    $run filters | grep -q '^ *deband '
    $run -y /opt/in.mp4 /opt/out.mp4 --deband --depth 10 --frames 12 -q
    [ -s "$root/opt/out.mp4" ]
    $run -y /opt/in.mkv - -f framemd5 --deband -q > "$work/frames"
    [ "$(grep -vc '^#' "$work/frames")" -gt 0 ]
    # A process of its own for the film.
    $run batch /opt/in.mkv -o '/opt/batch/{name}.mkv' --deband -q
    [ -s "$root/opt/batch/in.mkv" ]
    # The plugin runs on the system's libraries, and where there are none on those of the tarball.
    own=
    chroot "$root" /opt/smoke > "$work/none" 2>&1 || [ $? = 1 ] || own="/opt/lib/vramp/ld.so --library-path /opt/lib/vramp"
    VRAMP_DEVICE=cpu smoke chroot "$root" $own /opt/smoke > "$work/hashes"
    # What the first tree gave, all give.
    for said in frames hashes; do
        [ -e "$work/$said.first" ] || cp "$work/$said" "$work/$said.first"
        cmp "$work/$said" "$work/$said.first"
    done
    rm -rf "$root/opt"
    libraries=${own:+"the tarball's libraries"}
    echo "$(grep -vc '^#' "$work/frames") frames, $(grep -c ': [0-9a-f ]*$' "$work/hashes") hashes of the plugin with ${libraries:-the system's libraries}"
}

cc -std=gnu11 -O1 -Iplugin-abi/include plugin-abi/tests/windows/smoke.c -o "$work/smoke" -ldl
needs=$(tar --extract --to-stdout --wildcards --file "$tarball" '*/lib/vapoursynth/libvramp.so' > "$work/plugin" &&
    objdump -T "$work/plugin" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1)
echo "the command brings its own glibc; the plugin needs ${needs#GLIBC_} of it or newer"
missing=
for tree; do
    echo "== $tree"
    if root=$(folder_of "$tree"); then
        (try_in "$root")
    else
        missing="$missing $tree"
    fi
done
[ -z "$missing" ] || echo "not tried:$missing"
[ -z "$missing" ] || [ "$asked" = 0 ]
