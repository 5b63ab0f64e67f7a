#!/bin/sh
# Makes banded-gradient.mkv: slow, dark 8-bit ramps that drift, the picture every banding filter is judged by.
# FFV1 is lossless, so the bands are exactly the 8-bit steps; a radial ramp crosses a diagonal one, and a strip of
# fine texture on the right shows what a filter that merely blurs would lose.
set -eu
cd "$(dirname "$0")"
ffmpeg -hide_banner -loglevel error -y -f lavfi -i "color=black:size=640x360:rate=25:duration=1,format=yuv420p,geq=
lum='if(gt(X,560), 60+8*sin(X*1.9+N)*sin(Y*2.3), 36+22*hypot(X-280-N,Y-180)/330+12*(X+2*Y)/1360)':
cb='126+6*X/W':cr='130-6*Y/H'" \
    -c:v ffv1 -level 3 -g 1 -color_range tv -colorspace bt709 -color_trc bt709 -color_primaries bt709 -fflags +bitexact -flags:v +bitexact \
    banded-gradient.mkv
