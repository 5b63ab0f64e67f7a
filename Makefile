# Two commands do everything on a fresh Debian or Ubuntu machine:
#   make demo   deband a real clip into a 10-bit file and write the before/after still
#   make test   every check that CI runs
# Both install what they need (scripts/setup.sh). `make help` lists the rest.

CARGO ?= cargo
export PATH := $(PATH):$(HOME)/.cargo/bin

# Where cargo builds.
built = $(shell CARGO="$(CARGO)" scripts/target_dir.sh)

.PHONY: help setup hosts build plugin install-plugins install-lib wheel dist deb try-packages windows demo test lint docs ptx check-ptx check-native bench quality bench-hash bless bless-goldens install fuzz kill-test farm-test farm-demo gallery-check gpu-bundle

help:
	@echo "make demo    deband samples/big-buck-bunny-720p.mp4 into out/, and write out/before-after.png"
	@echo "make test    formatting, lints, docs, unit, conformance, golden, CLI and host tests"
	@echo "make build   the release binary, target/release/vramp"
	@echo "make plugin  the library for video hosts and for programs in C, target/plugin/libvramp.so"
	@echo "make install-plugins  the library into the plugin folder of each host that is found"
	@echo "make install-lib      the library for programs in C, with header and pkg-config file, under PREFIX"
	@echo "make wheel   the plugin as a Python wheel for VapourSynth, in out/"
	@echo "make dist    a tarball that runs without installing anything, in out/"
	@echo "make deb     a Debian package of command, library and plugins, in out/"
	@echo "make try-packages    each of these in a place of its own (PYTHON=python3.12 for the wheel)"
	@echo "make windows the plugin as a DLL, and its smoke test under Wine"
	@echo "make install the binary, manual pages and the completions of all shells under PREFIX (default /usr/local)"
	@echo "make bench   filters against the copy floor, and the pipeline's split"
	@echo "make quality debanding filters against known truth, with ffmpeg's beside ours: writes docs/QUALITY.md; SEED=N for other frames"
	@echo "make bless   rewrite generated documents; read the diff"
	@echo "make bless-goldens   rewrite the goldens that changed, and print what changed; read the diff"
	@echo "make bench-hash CLIP=FILE   vramp hash and verify against plain decoding"
	@echo "make ptx     compile cuda/*.cu to the committed PTX and machine code; needs no CUDA toolkit and no GPU"
	@echo "make check-native   compile all machine code again: is it what the committed one says it is made of"
	@echo "make gpu-bundle   everything that a machine with a GPU needs to test this tree, in out/vramp-gpu.tar.xz"
	@echo "make fuzz    fuzz everything that reads foreign bytes, a minute each (needs cargo-fuzz and a nightly compiler)"
	@echo "make farm-test   parts by engines: lists, OpenJD, and Slurm of three nodes on this machine, one of which dies"
	@echo "make farm-demo   a sample film by that Slurm, and by one machine: the same bytes"
	@echo "make gallery-check   use the page of vramp gallery in a browser, as make test does"
	@echo "make kill-test   kill a film in parts a thousand times, and see that the same command goes on"

setup:
	@scripts/setup.sh

build: setup
	$(CARGO) build --release --locked

# A command of its own: built together with the program, the library would need libav.
plugin: setup
	$(CARGO) build --release --locked -p vramp-plugin
	install -D --strip --mode=755 $(built)/release/libvramp_plugin.so target/plugin/libvramp.so
	ln -sf libvramp.so target/plugin/libvramp.so.1

# EFFECTS="gauss box" makes effects of other filters too.
install-plugins: build plugin
	$(built)/release/vramp plugins --install target/plugin/libvramp.so $(foreach effect,$(EFFECTS),--effect $(effect))

install-lib: plugin
	scripts/install_library.sh target/plugin/libvramp.so $(PREFIX) $(LIBDIR)

# Packages, in out/.
wheel: plugin
	scripts/package/wheel.py target/plugin/libvramp.so out

dist: build plugin
	scripts/package/dist.sh $(built)/release/vramp target/plugin/libvramp.so out

deb: build plugin
	@scripts/setup.sh dpkg-dev
	scripts/package/deb.sh $(built)/release/vramp target/plugin/libvramp.so out

# Each package in a place of its own: a Python with VapourSynth, other systems (TREES="bare ubuntu:noble" for some), and lintian.
try-packages: wheel dist deb
	@scripts/setup.sh busybox-static debootstrap lintian
	scripts/package/try_wheel.sh out/vapoursynth_vramp-*linux*.whl $(PYTHON)
	scripts/package/try_dist.sh out/vramp-*.tar.xz $(TREES)
	lintian --fail-on error,warning out/vramp_*.deb

windows: setup
	@scripts/windows.sh

demo: build
	@VRAMP=$(built)/release/vramp scripts/demo.sh

# What runs parts of films in tests. It listens on 127.0.0.1 only, in a network of its own.
slurm := slurm-wlm munge iproute2 procps

# What takes the lists of `vramp scenes`.
encoders := x264 x265 svt-av1

# What the plugin is tested in, engines for parts, and a browser.
hosts:
	@scripts/setup.sh melt gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-bad libexpat1-dev valgrind $(slurm) $(encoders)
	@scripts/setup_hosts.sh
	@scripts/setup_browser.sh

test: setup hosts lint docs check-ptx
	@scripts/test.sh

lint:
	$(CARGO) fmt --all --check
	scripts/glossary.sh
	scripts/target_dir.sh --check
	$(CARGO) clippy --locked --all-targets -- -D warnings
	$(CARGO) clippy --locked -p vramp --lib -- -D warnings
	$(CARGO) clippy --locked -p vramp-plugin --all-targets -- -D warnings

docs:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --no-deps --lib
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --no-deps --lib -p vramp-plugin

# NVIDIA's compilers.
nvrtc := target/nvrtc
$(nvrtc)/ready: cuda/requirements.txt
	python3 -m venv --clear $(nvrtc)
	$(nvrtc)/bin/pip install --quiet --requirement $<
	touch $@

ptx: $(nvrtc)/ready
	$(nvrtc)/bin/python cuda/make_ptx.py

check-ptx: $(nvrtc)/ready
	$(nvrtc)/bin/python cuda/make_ptx.py --check

check-native: $(nvrtc)/ready
	$(nvrtc)/bin/python cuda/make_ptx.py --check --all

gpu-bundle: setup
	@scripts/gpu_bundle.sh

bench: build
	$(built)/release/vramp bench

# What the judge computes with.
numpy := target/quality
$(numpy)/ready: scripts/quality/requirements.txt
	python3 -m venv --clear $(numpy)
	$(numpy)/bin/pip install --quiet --requirement $<
	touch $@

quality: build $(numpy)/ready
	$(numpy)/bin/python scripts/quality/judge.py --vramp $(built)/release/vramp $(if $(SEED),--seed $(SEED))

bench-hash: build
	@scripts/bench_hash.sh $(built)/release/vramp "$(CLIP)"

bless:
	VRAMP_BLESS=1 $(CARGO) test --locked --test docs --test plugins
	VRAMP_BLESS=1 $(CARGO) test --locked --lib device_structs

bless-goldens:
	VRAMP_BLESS=1 $(CARGO) test --locked --test goldens

fuzz_targets := $(basename $(notdir $(wildcard fuzz/fuzz_targets/*.rs)))
fuzz:
	cd fuzz && for target in $(fuzz_targets); do $(CARGO) fuzz run $$target -- -max_total_time=60 || exit 1; done

gallery-check: build
	@scripts/setup_browser.sh
	target/selenium/bin/python scripts/gallery_check.py $(built)/release/vramp

# By cargo itself: nextest ends a test that takes minutes.
kill-test:
	VRAMP_KILLS=1000 $(CARGO) test --locked --test farm killed_at_any_moment -- --nocapture

farm-test: hosts
	VRAMP_REQUIRE_SLURM=1 $(CARGO) nextest run --locked --profile ci --test farm submit:: slurm::

farm-demo: build
	@scripts/setup.sh $(slurm)
	@VRAMP=$(built)/release/vramp scripts/farm/demo.sh

PREFIX ?= /usr/local
VRAMP ?= $(built)/release/vramp
# Where each shell looks for completions; PowerShell has no such place, so its profile names the file.
COMPLETIONS := bash:bash-completion/completions/vramp zsh:zsh/site-functions/_vramp \
	fish:fish/vendor_completions.d/vramp.fish elvish:elvish/lib/vramp.elv powershell:vramp/vramp.ps1
install: build
	install -D --strip --mode=755 $(VRAMP) $(DESTDIR)$(PREFIX)/bin/vramp
	install -d $(DESTDIR)$(PREFIX)/share/man/man1
	$(VRAMP) man --into $(DESTDIR)$(PREFIX)/share/man/man1
	@set -e; for completion in $(COMPLETIONS); do \
		file=$(DESTDIR)$(PREFIX)/share/$${completion#*:}; install -d $$(dirname $$file); \
		echo "completions for $${completion%%:*}: $$file"; $(VRAMP) completions $${completion%%:*} > $$file; \
	done
