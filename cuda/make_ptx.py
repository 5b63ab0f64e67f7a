#!/usr/bin/env python3
"""Compiles cuda/*.cu with NVIDIA's compilers from PyPI: no toolkit, no GPU.

    make ptx          write what is stale
    make check-ptx    fail when something committed is not what the sources give
    make_ptx.py --whole-block-barriers FOLDER    write what racecheck can follow, for scripts/gpu_bundle.sh

NVRTC writes cuda/ptx/NAME.ptx.xz, which every driver since 515 (May 2022) reads, since that version of it writes PTX 7.7.
compute_61 is the oldest target that is served, and a driver compiles it for every later GPU. What uses tensor cores
(*_tensor.cu), takes samples in pairs (*_pairs.cu) or copies asynchronously (*_async.cu) is for compute_80 and later; without
it, other kernels do the same.

ptxas makes machine code of that PTX for common GPUs: cuda/native/NAME.xz. It begins to run at once, where a driver
compiles PTX for seconds; one that does not take it falls back to the PTX. Three lines of text come first in that file: the
PTX that it was made of, the compiler with the GPUs it was made for, and the bytes of code for each of them; then the code,
in that order. Packed together, the code of six generations takes 0.63 of the bytes that it takes one by one. It is made
again when the first two lines would differ, or with --all.

What includes common/early.cuh is compiled a second time, as its machine code for compute capability 9.0 and later needs it: the
PTX manual knows those instructions from version 7.8 on, which this compiler passes on as they stand.

What the documentation quotes (cuda/examples) is compiled too, and not kept. So are modules whose warps wait for some of a block's, as
they are with barriers of whole blocks in place of those: compute-sanitizer's racecheck follows no others.
"""

import concurrent.futures
import ctypes
import dataclasses
import hashlib
import importlib.metadata
import lzma
import os
import pathlib
import re
import subprocess
import sys
import tempfile

OPTIONS = ["--std=c++17", "--fmad=false", "--restrict"]
# Turing, Ampere, Ada, Hopper and both Blackwells. Each serves the later GPUs of its first digit.
NATIVE = [75, 86, 89, 90, 100, 120]
# Sources that name it, or whose headers do, have barriers of whole blocks where it is defined.
WHOLE_BLOCK = "VRAMP_WHOLE_BLOCK_BARRIERS"
# Sources that include it, or whose headers do, have launches that begin before the one before has ended, for these GPUs and where this is defined.
EARLY_HEADER, EARLY, FIRST_EARLY = "common/early.cuh", "VRAMP_EARLY", 90
CUDA = pathlib.Path(__file__).resolve().parent
PTX = CUDA / "ptx"
MACHINE = CUDA / "native"
REQUIREMENTS = CUDA / "requirements.txt"
COMPILERS = dict(line.split("==") for line in REQUIREMENTS.read_text().split())


def installed(package, name):
    """The file `name*` of a package, in the version that the requirements say."""
    try:
        found = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        found = None
    if found != COMPILERS[package]:
        sys.exit(f"{package} is {found or 'missing'}: python3 -m pip install -r {REQUIREMENTS}")
    return str(next(f for f in importlib.metadata.files(package) if f.name.startswith(name)).locate())


class Nvrtc:
    """The few entry points that turn source text into PTX text."""

    def __init__(self):
        self.lib = ctypes.CDLL(installed("nvidia-cuda-nvrtc-cu11", "libnvrtc.so"))

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

    def ptx(self, source, *more):
        """The PTX of one source file, by the usual options and `more`."""
        program = ctypes.c_void_p()
        text, name = source.read_text().encode(), source.name.encode()
        self.call("nvrtcCreateProgram", ctypes.byref(program), text, name, 0, None, None)
        target = "compute_80" if source.stem.endswith(("_tensor", "_pairs", "_async")) else "compute_61"
        options = [f"--gpu-architecture={target}", *OPTIONS, f"--include-path={CUDA}", *more]
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
        return numbered(ptx).encode()


def with_headers(source):
    """The text of a file and of all that it includes, which lies beside it or in this folder."""
    text = source.read_text(encoding="utf-8")
    names = re.findall(r'^#include "(.+)"$', text, re.M)
    places = [next(place for place in (source.parent / name, CUDA / name) if place.is_file()) for name in names]
    return text + "".join(with_headers(place) for place in places)


def whole_block_barriers(nvrtc):
    """The PTX of modules that wait for some warps of a block, with barriers of the whole block instead, by name."""
    sources = [source for source in sorted(CUDA.glob("*.cu")) if WHOLE_BLOCK in with_headers(source)]
    return {source.stem: nvrtc.ptx(source, f"--define-macro={WHOLE_BLOCK}") for source in sources}


def early(nvrtc, source):
    """The PTX of one source file for GPUs whose launches begin before the one before has ended; none where it says nothing of that."""
    if EARLY_HEADER not in with_headers(source):
        return None
    ptx = nvrtc.ptx(source, f"--define-macro={EARLY}")
    ptx, versions = re.subn(rb"^\.version 7\.7$", b".version 7.8", ptx, flags=re.M)
    ptx, targets = re.subn(rb"^\.target sm_\d+$", f".target sm_{FIRST_EARLY}".encode(), ptx, flags=re.M)
    kernels = ptx.split(b".entry")[1:]
    if (versions, targets) != (1, 1) or not all(b"griddepcontrol.wait" in kernel for kernel in kernels):
        sys.exit(f"{source.name}: not every kernel waits for the launch before it")
    return ptx


def numbered(ptx):
    """`ptx` with its calls numbered from 0: NVRTC counts on from module to module, so that a new one would change others."""
    calls = {}
    return re.sub(r"callseq (\d+)", lambda call: f"callseq {calls.setdefault(call[1], len(calls))}", ptx)


class Ptxas:
    """The compiler from PTX to machine code."""

    PACKAGE = "nvidia-cuda-nvcc-cu12"

    def __init__(self):
        self.path = installed(self.PACKAGE, "ptxas")

    def made_of(self, module):
        """What machine code of `module` is made of, in words."""
        digest, gpus = hashlib.sha256(module.ptx + (module.early or b"")).hexdigest(), " ".join(module.sources())
        return f"ptx sha256 {digest}\n{self.PACKAGE} {COMPILERS[self.PACKAGE]}: {gpus}\n".encode()

    def cubin(self, name, ptx, target):
        """Machine code for the compute capability `target`."""
        with tempfile.TemporaryDirectory() as folder:
            source, cubin = pathlib.Path(folder, f"{name}.ptx"), pathlib.Path(folder, "cubin")
            source.write_bytes(ptx)
            command = [self.path, f"--gpu-name=sm_{target}", "--fmad=false", "-o", cubin, source]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{name}: {done.stdout}{done.stderr}")
            return cubin.read_bytes()


@dataclasses.dataclass
class Module:
    """The PTX of a source file, and what GPUs get whose launches may begin before the one before has ended."""

    name: str
    ptx: bytes
    early: bytes | None

    def sources(self):
        """The PTX that machine code is made of for each GPU, by its compute capability as the header of the file states it."""
        oldest = int(re.search(rb"^\.target sm_(\d+)", self.ptx, re.M)[1])
        begins_early = lambda gpu: self.early and gpu >= FIRST_EARLY
        gpus = [gpu for gpu in NATIVE if gpu >= oldest]
        return {f"{gpu}-early" if begins_early(gpu) else str(gpu): self.early if begins_early(gpu) else self.ptx for gpu in gpus}


def machine_code(modules, ptxas):
    """What the files of `modules` below cuda/native hold."""
    jobs = [(module.name, gpu, ptx) for module in modules for gpu, ptx in module.sources().items()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        codes = pool.map(lambda job: ptxas.cubin(job[0], job[2], job[1].removesuffix("-early")), jobs)
        cubins = {(name, gpu): code for (name, gpu, _), code in zip(jobs, codes)}

    def together(module):
        codes = [cubins[module.name, gpu] for gpu in module.sources()]
        lengths = " ".join(str(len(code)) for code in codes)
        return ptxas.made_of(module) + f"bytes: {lengths}\n".encode() + b"".join(codes)

    return {machine_file(module.name): together(module) for module in modules}


def machine_file(name):
    return MACHINE / f"{name}.xz"


def pack(data):
    """No larger a window than the data needs, since whoever unpacks it makes room for that."""
    window = max(4096, 1 << (len(data) - 1).bit_length())
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": window}]
    return lzma.compress(data, check=lzma.CHECK_CRC32, filters=filters)


def read(path):
    """What a committed file holds: compressors differ, so that only this is compared."""
    return lzma.decompress(path.read_bytes()) if path.is_file() else None


def main():
    match sys.argv[1:]:
        case ["--whole-block-barriers", folder]:
            for name, ptx in whole_block_barriers(Nvrtc()).items():
                pathlib.Path(folder, f"{name}.ptx").write_bytes(ptx)
            return
    options = set(sys.argv[1:])
    if not options <= {"--check", "--all"}:
        sys.exit(__doc__)
    check, everything = "--check" in options, "--all" in options
    nvrtc, ptxas = Nvrtc(), Ptxas()
    sources = sorted(CUDA.glob("*.cu"))
    modules = [Module(source.stem, nvrtc.ptx(source), early(nvrtc, source)) for source in sources]
    for example in CUDA.glob("examples/*.cu"):
        nvrtc.ptx(example)
    whole_block_barriers(nvrtc)
    wanted = {PTX / f"{module.name}.ptx.xz": module.ptx for module in modules}

    def is_stale(module):
        return everything or not (read(machine_file(module.name)) or b"").startswith(ptxas.made_of(module))

    stale = [module for module in modules if is_stale(module)]
    if everything or not check:
        wanted |= machine_code(stale, ptxas)
    there = {path for folder in (PTX, MACHINE) for path in folder.rglob("*") if path.is_file()}
    gone = there - wanted.keys() - {machine_file(module.name) for module in modules}
    wrong = {path for path in wanted if read(path) != wanted[path]}
    if check:
        unmade = set() if everything else {machine_file(module.name) for module in stale}
        if names := sorted(str(path.relative_to(CUDA)) for path in wrong | gone | unmade):
            sys.exit(f"stale: {', '.join(names)}; run make ptx, and commit cuda/ptx and cuda/native")
        return
    for path in wrong:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pack(wanted[path]))
    for path in gone:
        path.unlink()


if __name__ == "__main__":
    main()
