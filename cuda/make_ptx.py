#!/usr/bin/env python3
"""Compiles cuda/*.cu to cuda/ptx/*.ptx with NVRTC, NVIDIA's compiler as a library: no toolkit, no GPU.

    make ptx          write the PTX
    make check-ptx    fail when the committed PTX is not what the sources give

Both install the compiler of cuda/requirements.txt and run this, the second with --check. That version writes PTX 7.7,
which every driver since 515 (May 2022) reads; later compilers write PTX that fewer drivers read. compute_61 is the
oldest target that is served, and a driver compiles it for every later GPU. What uses tensor cores (*_tensor.cu) is for
compute_80 and later; without it, other kernels do the same.
"""

import ctypes
import importlib.metadata
import pathlib
import sys

OPTIONS = ["--std=c++17", "--fmad=false", "--restrict"]
CUDA = pathlib.Path(__file__).resolve().parent
PTX = CUDA / "ptx"
REQUIREMENTS = CUDA / "requirements.txt"
PACKAGE, VERSION = REQUIREMENTS.read_text().strip().split("==")


class Nvrtc:
    """The few entry points that turn source text into PTX text."""

    def __init__(self):
        try:
            files = importlib.metadata.files(PACKAGE)
            found = importlib.metadata.version(PACKAGE)
        except importlib.metadata.PackageNotFoundError:
            found = None
        if found != VERSION:
            sys.exit(f"{PACKAGE} is {found or 'missing'}: python3 -m pip install -r {REQUIREMENTS}")
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
        target = "compute_80" if source.stem.endswith("_tensor") else "compute_61"
        options = [f"--gpu-architecture={target}", *OPTIONS, f"--include-path={CUDA}"]
        encoded = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
        failure = self.call("nvrtcCompileProgram", program, len(options), encoded)
        log = self.text("nvrtcGetProgramLogSize", "nvrtcGetProgramLog", program).strip()
        if log:
            print(log, file=sys.stderr)
        if failure:
            sys.exit(f"{source.name}: {failure}")
        ptx = self.text("nvrtcGetPTXSize", "nvrtcGetPTX", program)
        self.call("nvrtcDestroyProgram", ctypes.byref(program))
        foreign = [line for line in ptx.splitlines() if line.startswith(".extern .func")]
        if foreign:
            sys.exit(f"{source.name} calls what no driver has: {' '.join(foreign)}")
        return ptx


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    nvrtc = Nvrtc()
    ptx = {f"{source.stem}.ptx": nvrtc.ptx(source) for source in sorted(CUDA.glob("*.cu"))}
    committed = {path.name: path.read_text() for path in PTX.glob("*.ptx")}
    stale = sorted(name for name in ptx.keys() | committed.keys() if ptx.get(name) != committed.get(name))
    if check and stale:
        sys.exit(f"stale: {', '.join(stale)}; run make ptx, and commit cuda/ptx")
    for name in stale:
        if name in ptx:
            PTX.mkdir(exist_ok=True)
            (PTX / name).write_text(ptx[name])
        else:
            (PTX / name).unlink()


if __name__ == "__main__":
    main()
