#!/bin/sh
# Builds the plugin as a DLL for Windows, and runs it under Wine beside the library of Linux: both print the same hashes.
# PROFILE=dev builds both without optimisation, which is quicker.
set -eu
cd "$(dirname "$0")/.."
target=x86_64-pc-windows-gnu
profile=${PROFILE:-release}
cargo=${CARGO:-cargo}
out=target/windows

scripts/setup.sh gcc-mingw-w64-x86-64 wine wine64
rustup target list --installed | grep -qx $target || rustup target add $target

$cargo build --locked --profile "$profile" -p vramp-plugin --target $target
$cargo build --locked --profile "$profile" -p vramp-plugin
built=$($cargo metadata --format-version 1 --no-deps | sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')
folder=$(echo "$profile" | sed 's/^dev$/debug/')

mkdir -p $out/linux
x86_64-w64-mingw32-strip -o $out/libvramp.dll "$built/$target/$folder/vramp_plugin.dll"
cp $out/libvramp.dll $out/vramp_deband.dll
cp "$built/$folder/libvramp_plugin.so" $out/linux/libvramp.so
cp $out/linux/libvramp.so $out/linux/vramp_deband.so

tests=plugin-abi/tests/windows
warnings="-std=gnu11 -Wall -Wextra -Werror -Wno-cast-function-type"
x86_64-w64-mingw32-gcc $warnings -Iplugin-abi/include $tests/smoke.c -o $out/smoke.exe
cc $warnings -Iplugin-abi/include $tests/smoke.c -o $out/linux/smoke -ldl

export WINEPREFIX="$PWD/$out/wine" WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml="
[ -e "$WINEPREFIX/system.reg" ] || wineboot -i
system=$WINEPREFIX/drive_c/windows/system32
[ -e "$system/bcryptprimitives.dll" ] ||
    x86_64-w64-mingw32-gcc -shared $tests/prng.c -o "$system/bcryptprimitives.dll" -ladvapi32

(cd $out && wine smoke.exe libvramp.dll vramp_deband.dll) | tr -d '\r' > $out/wine.txt
(cd $out/linux && ./smoke ./libvramp.so ./vramp_deband.so) > $out/linux.txt
diff $out/linux.txt $out/wine.txt
echo "windows: $(grep -c ':' $out/wine.txt) lines as on Linux: $out/libvramp.dll"
