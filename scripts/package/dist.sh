#!/bin/sh
# Packs a tarball that runs where nothing is installed: the command with every library it needs, the plugin, documents, licences.
#   scripts/package/dist.sh VRAMP LIBRARY FOLDER
set -eu
vramp=$(realpath "$1") library=$(realpath "$2")
mkdir -p "$3"
into=$(realpath "$3")
cd "$(dirname "$0")/../.."

name=vramp-$("$vramp" --version | sed -n '1s/^vramp \([^ ]*\).*/\1/p')-$(uname -m)-linux
tree=$into/$name
rm -rf "$tree"
install -D --strip --mode=755 "$vramp" "$tree/lib/vramp/vramp"

# All that it loads, glibc's own among it with their loader: an older glibc on the machine does not matter.
needed=$(ldd "$vramp" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p')
install --mode=644 $needed "$tree/lib/vramp/"
loader=$(readelf -lW "$vramp" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
install --mode=755 "$loader" "$tree/lib/vramp/ld.so"

mkdir -p "$tree/bin"
cat > "$tree/bin/vramp" <<'EOF'
#!/bin/sh
# Runs vramp with the libraries that were packed with it. A driver of the machine (libcuda) is found behind them.
own=$(readlink -f "$0")
here=$(dirname "$own")/../lib/vramp
# For processes that vramp starts of itself: its own file does not run without the loader.
export VRAMP_LAUNCHER="$own"
exec "$here/ld.so" --argv0 "$0" --library-path "$here${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$here/vramp" "$@"
EOF
chmod 755 "$tree/bin/vramp"

"$vramp" plugins --install "$library" --into "$tree" >/dev/null
"$vramp" man --into "$tree/share/man/man1"
DESTDIR=$tree scripts/install_library.sh "$library" "" /lib
mkdir -p "$tree/share/doc/vramp" "$tree/share/licenses/vramp"
cp README.md CHANGELOG.md docs/*.md "$tree/share/doc/vramp/"
cp LICENSE-MIT LICENSE-APACHE "$tree/share/licenses/vramp/"

# The terms of every library beside it, as its Debian package has them.
for path in $needed "$loader"; do
    echo "*/$(basename "$(readlink -f "$path")")"
done | xargs dpkg-query -S 2>/dev/null | cut -d: -f1 | sort -u | while read -r package; do
    terms=/usr/share/doc/$package/copyright
    [ ! -e "$terms" ] || cp "$terms" "$tree/share/licenses/$package"
done

# The same files make the same tarball.
tar --create --directory "$into" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 "$name" |
    xz -T2 -6 > "$into/$name.tar.xz"
echo "$into/$name.tar.xz"
