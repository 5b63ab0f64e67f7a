#!/bin/sh
# Packs a Debian package of the command, the library and the plugins for FFmpeg, MLT, Kdenlive, Shotcut and GStreamer:
#   scripts/package/deb.sh VRAMP LIBRARY FOLDER
set -eu
vramp=$(realpath "$1") library=$(realpath "$2")
mkdir -p "$3"
into=$(realpath "$3")
cd "$(dirname "$0")/../.."

arch=$(dpkg --print-architecture)
libdir=/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
version=$("$vramp" --version | sed -n '1s/^vramp \([^ ]*\).*/\1/p')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/vramp

install -D --strip --mode=755 "$vramp" "$tree/usr/bin/vramp"
DESTDIR=$tree scripts/install_library.sh "$library" /usr "$libdir"
"$vramp" plugins --install "$library" --into "$tree/usr" >/dev/null
# Debian has no VapourSynth; its plugin is a wheel.
rm -r "$tree/usr/lib/vapoursynth"
# The one place where hosts of OpenFX look.
mkdir -p "$tree/usr/share/lintian/overrides"
cat > "$tree/usr/share/lintian/overrides/vramp" <<EOF
vramp: non-standard-dir-in-usr [usr/OFX/]
vramp: file-in-unusual-dir [usr/OFX/*]
EOF
find "$tree" \( -name '*.so*' -o -name '*.ofx' \) -type f -exec strip --strip-unneeded --remove-section=.comment --remove-section=.note {} + -exec chmod 644 {} +
"$vramp" man --into "$tree/usr/share/man/man1"
gzip -9n "$tree"/usr/share/man/man1/*
for shell in bash:bash-completion/completions/vramp zsh:zsh/vendor-completions/_vramp fish:fish/vendor_completions.d/vramp.fish; do
    file=$tree/usr/share/${shell#*:}
    mkdir -p "$(dirname "$file")"
    "$vramp" completions "${shell%%:*}" > "$file"
done

doc=$tree/usr/share/doc/vramp
mkdir -p "$doc"
cp docs/*.md "$doc/"
gzip -9nc CHANGELOG.md > "$doc/changelog.gz"
cat > "$doc/copyright" <<EOF
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: vramp

Files: *
Copyright: The vramp authors
License: MIT or Apache-2.0

License: MIT
$(sed 's/^$/./; s/^/ /' LICENSE-MIT)

License: Apache-2.0
 On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.
EOF

# What the command is linked with, by the packages that hold it here.
mkdir -p "$work/debian" "$tree/DEBIAN"
printf 'Source: vramp\n\nPackage: vramp\nArchitecture: any\nDescription: vramp\n' > "$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O -e"$tree/usr/bin/vramp" -e"$tree$libdir/libvramp.so.1" 2>/dev/null | sed 's/^shlibs:Depends=//')
cat > "$tree/DEBIAN/control" <<EOF
Package: vramp
Version: $version
Architecture: $arch
Maintainer: The vramp authors <vramp@localhost.localdomain>
Installed-Size: $(du -sk "$tree" | cut -f1)
Depends: $depends
Enhances: ffmpeg, melt, kdenlive, shotcut, gstreamer1.0-plugins-bad
Section: video
Priority: optional
Description: video filters with the same bytes on every device
 Filters video on the CPU or on an NVIDIA GPU, with the same bytes from both:
 debanding, denoising, scaling, tone mapping and more, from decoding to
 encoding. With the library for programs in C, and effects for hosts of frei0r
 such as FFmpeg, MLT, Kdenlive and Shotcut.
EOF
printf 'activate-noawait ldconfig\n' > "$tree/DEBIAN/triggers"
find "$tree" -type d -exec chmod 755 {} +
(cd "$tree" && find usr -type f -exec md5sum {} + > DEBIAN/md5sums)
dpkg-deb --root-owner-group --build "$tree" "$into/vramp_${version}_$arch.deb"
