# SPDX-License-Identifier: Apache-2.0
# EmberSM: everything one types. CMake underneath: `cmake --preset release` works as well.

SHELL := /bin/bash
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PRESET ?= release
BUILD := build/$(PRESET)
JOBS ?= $(shell nproc)
BIN := build/release/bin
GATES := toolchain/gates
FABRIC ?=
CONF ?=
KEYS := build/keys
FUZZ_SECONDS ?= 60
MUTANTS ?= 3600
SITES ?= 200
SHORT ?=
CONFIGURE := toolchain/configure.sh

# Objects of one clone serve another: ccache takes paths as relative to the tree.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1
# Without it ccache leaves alone what reads precompiled headers.
export CCACHE_SLOPPINESS := pch_defines,time_macros

.PHONY: help
help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Everyday
.PHONY: deps
deps: ## Install what is missing of Debian's packages (needs root or sudo only then)
	@toolchain/deps.sh
# Of these what a target needs: deps-run, deps-build, deps-test, deps-check, deps-arm64 and so on.
deps-%:
	@toolchain/deps.sh $*

.PHONY: build
build: deps-build ## Build everything: PRESET=release (default), debug, asan, asan-gcc, clang, fuzz
	@$(CONFIGURE) $(PRESET)
	@cmake --build $(BUILD) -j $(JOBS)
	@[ $(PRESET) != release ] || ln -sf $(BUILD)/compile_commands.json compile_commands.json

.PHONY: programs
programs: deps-build ## Build embersm, emberc and emberctl as they ship, in build/release/bin
	@$(CONFIGURE) release
	@cmake --build build/release -j $(JOBS) --target embersm emberc emberctl

# The subnet manager alone, from the packages that the programs need: the quickest to have. emberc
# takes as long again, and is built when it is asked for something.
RUN := build/run/bin
build_run = toolchain/quietly.sh build/run/build.log cmake --build build/run -j $(JOBS) --target $(1)
run_programs = @$(CONFIGURE) run -DEMBER_UNITY=ON && $(build_run) || \
    { echo "once more, file by file" && $(CONFIGURE) run -DEMBER_UNITY=OFF && $(build_run); }
.PHONY: run
run: deps-run ## Bring up a simulated fabric; FABRIC=file.net takes a netlist, CONF=file an opensm.conf
	$(call run_programs,embersm $(if $(CONF),emberc))
	@[ -z "$(CONF)" ] || { mkdir -p $(KEYS) && { [ -f $(KEYS)/bench.pem ] || \
	    $(RUN)/emberc keygen --private $(KEYS)/bench.pem --public $(KEYS)/bench.pub; } && \
	    $(RUN)/emberc compile --no-default-files $(CONF) -o build/bench.blob --key $(KEYS)/bench.pem; }
	@$(RUN)/embersm --sim$(if $(FABRIC),=$(FABRIC)) --once --brief --log=warning \
	    $(if $(CONF),--blob build/bench.blob --public-key $(KEYS)/bench.pub); status=$$?; \
	    echo "Next: make plan, or run, FABRIC=listing.net (of ibnetdiscover) CONF=opensm.conf; docs/install.md"; \
	    exit $$status

.PHONY: plan
plan: deps-run ## Route a netlist on paper: FABRIC=file.net or a shape (ft3:16), CONF=file an opensm.conf
	$(call run_programs,emberc)
	@$(RUN)/emberc plan -q -f $(or $(FABRIC),ft3:16) $(if $(CONF),-c $(CONF))

# A key pair for this bench only; it is never installed and never leaves build/.
$(KEYS)/bench.pem: | programs
	@mkdir -p $(KEYS)
	@$(BIN)/emberc keygen --private $@ --public $(KEYS)/bench.pub

.PHONY: test
test: ## Unit, property and simulation tests, fuzz corpus, short interop cases and drawn sites
	@toolchain/test.sh deps-test build tests interop programs sites

.PHONY: whole
whole: ## All that a change has to pass: test, check, an emulated target, a bare image
	@toolchain/test.sh deps build tests interop programs sites gates cross bare

.PHONY: unit
unit: deps-build ## Unit, property and simulation tests and the fuzz corpus, under both sanitizers
	@$(CONFIGURE) asan
	@cmake --build build/asan -j $(JOBS)
	@python3 tests/in_batches.py --jobs $(JOBS) build/asan

.PHONY: interop
interop: deps-test ## The real diagnostics, OpenSM and ibdmchk against embersm over ibsim; INTEROP=--short takes 5 minutes
	@$(CONFIGURE) $(PRESET)
	@cmake --build $(BUILD) -j $(JOBS) --target embersm emberc emberctl ember_asic
	@python3 tests/interop/run.py --build $(BUILD) $(INTEROP)

.PHONY: sites
sites: deps-test ## Drawn sites with their files, on paper, simulated, over ibsim; SITES=200 of them; SHORT=--short takes 3 minutes
	@$(CONFIGURE) $(PRESET)
	@cmake --build $(BUILD) -j $(JOBS) --target embersm emberc emberctl
	@python3 tests/sites/run.py --build $(BUILD) $(SHORT) --count $(SITES)

.PHONY: race
race: deps-build ## Driver and device of the mailbox at once, each in a thread, under ThreadSanitizer
	@$(CONFIGURE) release -B build/race -DEMBER_SANITIZE=thread
	@cmake --build build/race -j $(JOBS) --target ember_race_tests
	@build/race/bin/ember_race_tests --gtest_brief=1

# Other processors, under QEMU's user mode
CROSS ?= arm64 armhf s390x
.PHONY: cross-deps
cross-deps: deps-build ## Install the compilers for CROSS (arm64 armhf s390x), and the emulator
	@toolchain/deps.sh $(CROSS)

.PHONY: cross
cross: cross-deps programs ## Build for each of CROSS and run there what runs here; compare octet for octet
	@toolchain/cross.sh $(CROSS)

.PHONY: cross-short
cross-short: CROSS := arm64
cross-short: cross-deps programs
	@toolchain/cross.sh --short $(CROSS)

# Images without an operating system, under QEMU's system mode
IMAGES := arm64 arm32
.PHONY: bare
bare: programs $(KEYS)/board.h ## Build the bare-metal images (64 and 32 bits) and prove them in QEMU
	@toolchain/deps.sh bare
	@toolchain/bare/mbedtls.sh
	@for image in $(IMAGES); do $(CONFIGURE) bare-$$image \
	    && cmake --build build/bare-$$image -j $(JOBS) || exit 1; done
	@python3 tests/bare/run.py --build build --images $(shell echo $(IMAGES) | tr " " ,)

# The key that those images trust; for this bench only, as bench.pem.
$(KEYS)/board.h: | programs
	@mkdir -p $(KEYS)
	@$(BIN)/emberc keygen --force --private $(KEYS)/board.pem --public $(KEYS)/board.pub --header $@

.PHONY: bench
bench: deps-test ## Benchmarks, and whole bring-ups beside OpenSM
	@$(MAKE) build PRESET=release
	@for bench in $(BIN)/*_bench; do [ ! -x $$bench ] || $$bench || exit 1; done
	@if [ -e tests/bench/beside_opensm.py ]; then python3 tests/bench/beside_opensm.py --bin $(abspath $(BIN)) \
	    && python3 tests/bench/beside_opensm.py --bin $(abspath $(BIN)) --engines minhop,updn,dnup,ftree; fi

.PHONY: quality
quality: deps-build ## What routings carry: a table of nets and engines (LANES=1: on one lane)
	@toolchain/configure.sh release && cmake --build build/release -j $(JOBS) --target quality
	@$(BIN)/quality $(LANES)

.PHONY: fuzz
fuzz: deps-build ## Run every fuzz target for FUZZ_SECONDS (60) from its corpus
	@toolchain/fuzz.sh $(FUZZ_SECONDS)

.PHONY: replays
replays: deps-build ## Each fuzz target over 10,000 inputs made from its corpus, slow ones 1,000, under both sanitizers
	@$(CONFIGURE) asan
	@cmake --build build/asan -j $(JOBS) --target ember_fuzzers
	@python3 tests/fuzz/replay.py --jobs $(JOBS) build/asan

.PHONY: mutants
mutants: deps-build ## Change a line of the product at a time: which suite notices? MUTANTS=seconds
	@python3 tests/mutants/run.py --seconds $(MUTANTS)

.PHONY: soak
soak: programs ## 12,000 stories and all tests as g++ compiles them; then SOAK_ROUNDS (20) times: properties drawn anew, dynamics over ibsim
	@cmake --build build/release -j $(JOBS) --target ember_swarm
	@$(BIN)/ember_swarm --from 1 --count $${SOAK_SEEDS:-10000} --jobs $(JOBS) --minimise
	@$(BIN)/ember_swarm --managers --from 1 --count $${SOAK_MANAGERS:-2000} --jobs $(JOBS) --minimise
	@$(MAKE) build PRESET=asan-gcc
	@python3 tests/in_batches.py --jobs $(JOBS) build/asan-gcc
	@$(MAKE) build PRESET=asan
	@for round in $$(seq $${SOAK_ROUNDS:-20}); do \
	    echo "round $$round"; toolchain/properties.sh build/asan || exit 1; \
	    python3 tests/interop/run.py --build build/release "dynamics*" || exit 1; done

.PHONY: memory
memory: programs ## What each board takes of memory; BOARD=name shows its tables
	@$(BIN)/emberc boards $(BOARD)

.PHONY: package
package: deps-run deps-packaging ## Build the packages and check them: deb, service, SBOM, Buildroot, Yocto
	@toolchain/packaging/package.sh build/package
.PHONY: reproducible
reproducible: deps-run deps-packaging ## Build the packages twice, in two folders without a cache, and compare octets
	@toolchain/packaging/reproducible.sh

# Of programs that run for years: optimized, from a folder of their own.
.PHONY: install uninstall
install: deps-run ## Install programs, manuals and service into PREFIX (/usr/local), below DESTDIR if that is set
	@$(CONFIGURE) release -B build/install -DEMBER_TESTS=OFF \
	    -DCMAKE_INSTALL_PREFIX=$${PREFIX:-/usr/local} -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O2 -DNDEBUG"
	@cmake --build build/install -j $(JOBS) --target embersm emberc emberctl
	@cmake --install build/install --component programs > build/install/installed.txt
	@grep -c '^-- \(Installing\|Up-to-date\)' build/install/installed.txt | sed "s|$$| files are in $(DESTDIR)$${PREFIX:-/usr/local}; docs/install.md says how to go on|"
uninstall: ## Remove what make install wrote, below DESTDIR if that is set; configuration and state stay
	@toolchain/uninstall.sh build/install "$(DESTDIR)"

.PHONY: clean
clean: ## Remove everything that was built
	@rm -rf build compile_commands.json

# Gates
GATE_NAMES := format rooms files classes notes words pages headers refused boards symbols stack tidy docs instructions
.PHONY: check $(GATE_NAMES) self-test
check: ## All the gates, and the proof that each can fail
	@toolchain/gates/all self-test $(GATE_NAMES)

format: deps-check ## Gate: clang-format 14 would change nothing (make reformat changes it)
	@$(GATES)/format
.PHONY: reformat
reformat: deps ## Format every source
	@find core engines config platform board tests -name '*.h' -o -name '*.cc' | xargs clang-format-14 -i
rooms: ## Gate: the include rule: own room and rooms below
	@$(GATES)/rooms
files: ## Gate: files are short, licensed, finished
	@$(GATES)/files
classes: ## Gate: a class has at most 25 private functions; those that have more become smaller
	@$(GATES)/classes
.PHONY: classes-update
classes-update: ## Write numbers that fell into toolchain/gates/classes.counts
	@$(GATES)/classes --update
notes: ## Gate: each note of the log is written somewhere and asserted by a test
	@$(GATES)/notes
words: ## Gate: comments name their subject: "whoever" and "nobody" become fewer in every room
	@$(GATES)/words
.PHONY: words-update
words-update: ## Write counts that fell into toolchain/gates/words.counts
	@$(GATES)/words --update
pages: ## Gate: Markdown has 100 columns, a DESIGN.md 500 words, and names what the tree has
	@$(GATES)/pages
headers: libraries ## Gate: each header compiles alone
	@$(GATES)/headers
refused: deps-build ## Gate: tests/refused/*.cc do not compile, their control variants do
	@$(GATES)/refused
boards: deps-build ## Gate: every board's profile holds
	@$(GATES)/boards
symbols: libraries ## Gate: no heap, exceptions or stdio in core, engines, config/blob
	@$(GATES)/symbols
stack: libraries ## Gate: frames and call chains are bounded, no recursion, within each board's budget
	@$(GATES)/stack_of_engines build/gates/stack
	@$(GATES)/stack --calls $(GATES)/stack.calls --boards board build/frames/core build/frames/engines \
	    build/gates/stack build/frames/config/CMakeFiles/ember_config_blob.dir \
	    build/frames/platform/CMakeFiles/ember_platform_local.dir
tidy: deps-check ## Gate: clang-tidy 14 has nothing to say
	@$(CONFIGURE) tidy
	@cmake --build build/tidy -j $(JOBS) --target ember_config_schema_headers
	@$(GATES)/tidy --jobs $(JOBS)
docs: programs ## Gate: tables in docs equal what the programs print (make docs-update writes them)
	@$(GATES)/docs
.PHONY: docs-update
docs-update: programs ## Write the generated tables into docs
	@$(GATES)/docs --update
instructions: counted-work ## Gate: bring-up, routing, proof, mending and paths take no more instructions
	@$(GATES)/instructions
.PHONY: instructions-update counted-work
instructions-update: counted-work ## Write what they take into toolchain/gates/instructions.counts
	@$(GATES)/instructions --update
counted-work: deps-check
	@$(CONFIGURE) release
	@cmake --build build/release -j $(JOBS) --target counted_work
self-test: deps-check ## Proof that each gate can fail
	@$(GATES)/self_test

.PHONY: libraries
libraries: deps-build
	@$(CONFIGURE) frames
	@cmake --build build/frames -j $(JOBS) --target ember_core ember_engines ember_config_blob ember_platform_local
