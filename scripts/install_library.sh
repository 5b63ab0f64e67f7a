#!/bin/sh
# Installs the library for programs in C, with its header and what pkg-config says of it:
#   scripts/install_library.sh LIBRARY PREFIX [LIBDIR]
# DESTDIR goes before all that is written, and is no part of what the files say.
set -eu
library=$1 prefix=$2 libdir=${3:-$2/lib}
source=$(dirname "$0")/../plugin-abi/include/vramp.h

abi=$(sed -n 's/^#define VRAMP_ABI_VERSION 0x//p' "$source")
major=$((0x$abi >> 16)) minor=$((0x$abi & 0xffff))
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' "$(dirname "$0")/../Cargo.toml")

to=${DESTDIR:-}$libdir
install -D --mode=644 "$library" "$to/libvramp.so.$major.$minor"
ln -sf "libvramp.so.$major.$minor" "$to/libvramp.so.$major"
ln -sf "libvramp.so.$major" "$to/libvramp.so"
install -D --mode=644 "$source" "${DESTDIR:-}$prefix/include/vramp.h"
install -d "$to/pkgconfig"
cat > "$to/pkgconfig/vramp.pc" <<EOF
prefix=$prefix
libdir=$libdir
includedir=\${prefix}/include

Name: vramp
Description: Video filters with the same bytes on every device
Version: $version
Libs: -L\${libdir} -lvramp
Cflags: -I\${includedir}
EOF
