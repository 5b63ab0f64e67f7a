#!/usr/bin/env python3
"""Compiles cuda/*.cu to cuda/ptx/*.ptx with NVRTC, NVIDIA's compiler as a library: no toolkit, no GPU.

    python3 -m pip install nvidia-cuda-nvrtc-cu11==11.7.99
    cuda/make_ptx.py            write the PTX
    cuda/make_ptx.py --check    fail when the committed PTX is not what the sources give

That version writes PTX 7.7, which every driver since 515 (May 2022) reads; later compilers write PTX that fewer
drivers read. compute_61 is the oldest target that is served, and a driver compiles it for every later GPU.
"""

import ctypes
import importlib.metadata
import pathlib
import sys

PACKAGE, VERSION = "nvidia-cuda-nvrtc-cu11", "11.7.99"
OPTIONS = ["--gpu-architecture=compute_61", "--std=c++17", "--fmad=false", "--restrict"]
CUDA = pathlib.Path(__file__).resolve().parent


class Nvrtc:
    """The few entry points that turn source text into PTX text."""

    def __init__(self):
        try:
            files = importlib.metadata.files(PACKAGE)
            found = importlib.metadata.version(PACKAGE)
        except importlib.metadata.PackageNotFoundError:
            found = None
        if found != VERSION:
            sys.exit(f"{PACKAGE} is {found or 'missing'}: python3 -m pip install {PACKAGE}=={VERSION}")
        library = next(f for f in files if f.name.startswith("libnvrtc.so"))
        self.lib = ctypes.CDLL(str(library.locate()))

    def call(self, name, *args):
        code = getattr(self.lib, name)(*args)
        self.lib.nvrtcGetErrorString.restype = ctypes.c_char_p
        return None if code == 0 else self.lib.nvrtcGetErrorString(code).decode()

    def text(self, size_of, get, program):
        size = ctypes.c_size_t()
        self.call(size_of, program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        self.call(get, program, buffer)
        return buffer.value.decode()

    def ptx(self, source):
        """The PTX of one source file."""
        program = ctypes.c_void_p()
        text, name = source.read_text().encode(), source.name.encode()
        self.call("nvrtcCreateProgram", ctypes.byref(program), text, name, 0, None, None)
        options = [*OPTIONS, f"--include-path={CUDA}"]
        encoded = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
        failure = self.call("nvrtcCompileProgram", program, len(options), encoded)
        log = self.text("nvrtcGetProgramLogSize", "nvrtcGetProgramLog", program).strip()
        if log:
            print(log, file=sys.stderr)
        if failure:
            sys.exit(f"{source.name}: {failure}")
        ptx = self.text("nvrtcGetPTXSize", "nvrtcGetPTX", program)
        self.call("nvrtcDestroyProgram", ctypes.byref(program))
        return ptx


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    nvrtc = Nvrtc()
    stale = []
    for source in sorted(CUDA.glob("*.cu")):
        path = CUDA / "ptx" / f"{source.stem}.ptx"
        ptx = nvrtc.ptx(source)
        if check and (not path.exists() or path.read_text() != ptx):
            stale.append(path.name)
        elif not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(ptx)
    if stale:
        sys.exit(f"stale: {', '.join(stale)}; run cuda/make_ptx.py and commit what it writes")


if __name__ == "__main__":
    main()
