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
scripts/setup_openfx.sh
rustup target list --installed | grep -qx $target || rustup target add $target

$cargo build --locked --profile "$profile" -p vramp-plugin --target $target
$cargo build --locked --profile "$profile" -p vramp-plugin
built=$(CARGO="$cargo" scripts/target_dir.sh)
folder=$(echo "$profile" | sed 's/^dev$/debug/')

mkdir -p $out/linux
x86_64-w64-mingw32-strip -o $out/libvramp.dll "$built/$target/$folder/vramp_plugin.dll"
cp "$built/$folder/libvramp_plugin.so" $out/linux/libvramp.so
# A file's name says which effect of frei0r and AviUtl2 it is.
for name in vramp_deband.dll vramp_deband.auf2 vramp_deband_en.auf2 vramp_chain.auf2; do
    cp $out/libvramp.dll $out/$name
    cp $out/linux/libvramp.so $out/linux/"$(echo $name | sed 's/dll$/so/')"
done

tests=plugin-abi/tests
flags="-std=gnu11 -Wall -Wextra -Werror -Wno-cast-function-type -Iplugin-abi/include"
x86_64-w64-mingw32-gcc $flags $tests/windows/smoke.c -o $out/smoke.exe
x86_64-w64-mingw32-gcc $flags $tests/aviutl2/host.c -o $out/aviutl2.exe
for name in pictures actions; do
    openfx="-D_GNU_SOURCE -isystemtarget/openfx/include $tests/openfx/$name.c -pthread"
    x86_64-w64-mingw32-gcc $flags $openfx -static -o $out/openfx_$name.exe
    cc $flags $openfx -o $out/linux/openfx_$name -ldl -lm
done
# The plugin finds AviSynth's functions in a library of this name.
x86_64-w64-mingw32-gcc $flags -shared $tests/avisynth/avisynth.c -o $out/avisynth.dll
x86_64-w64-mingw32-gcc $flags $tests/avisynth/scripts.c $out/avisynth.dll -static -pthread -o $out/scripts.exe
cc $flags $tests/windows/smoke.c -o $out/linux/smoke -ldl
cc $flags $tests/aviutl2/host.c -o $out/linux/aviutl2 -ldl
cc $flags -rdynamic -pthread $tests/avisynth/scripts.c $tests/avisynth/avisynth.c -o $out/linux/scripts -ldl

export WINEPREFIX="$PWD/$out/wine" WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml="
[ -e "$WINEPREFIX/system.reg" ] || wineboot -i
system=$WINEPREFIX/drive_c/windows/system32
[ -e "$system/bcryptprimitives.dll" ] ||
    x86_64-w64-mingw32-gcc -shared $tests/windows/prng.c -o "$system/bcryptprimitives.dll" -ladvapi32

export VRAMP_DEVICE=cpu
# Runs every program by `$1`, with libraries that end in `$2`; programs end in `$3`.
run_all() {
    $1 ./smoke$3 ./libvramp.$2 ./vramp_deband.$2 &&
        $1 ./aviutl2$3 ./vramp_deband.auf2 ./vramp_deband_en.auf2 ./vramp_chain.auf2 &&
        $1 ./openfx_pictures$3 ./libvramp.$2 &&
        $1 ./openfx_actions$3 ./libvramp.$2 &&
        $1 ./scripts$3 ./libvramp.$2
    echo "end: $?"
}
(cd $out && run_all wine dll .exe) | tr -d '\r' > $out/wine.txt
(cd $out/linux && run_all "" so "") > $out/linux.txt
diff $out/linux.txt $out/wine.txt
grep -qx 'end: 0' $out/wine.txt || { tail $out/wine.txt; exit 1; }
echo "windows: $(grep -c ':' $out/wine.txt) lines as on Linux: $out/libvramp.dll"
