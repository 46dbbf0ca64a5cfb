# Everything here starts from a Debian or Ubuntu machine with git and a Swift 6.2+ toolchain, and installs what else it needs.
SHELL := /bin/bash
FUZZ_SECONDS ?= 60
ROUNDS ?= 5
DOCS ?= docs-out
SOAK_SECONDS ?= 120
SOAK_SANITIZE ?=
PREFIX ?= /usr/local

.PHONY: help demo test bench bench-quick bench-tls bench-transfer bench-parse bench-pictures fuzz sanitize soak soak-sanitize thresholds lint examples example-server docs nightly install clean

help:
	@echo "make demo         pin a certificate, be refused with a wrong pin, see a throughput figure"
	@echo "make test         the whole suite, real servers included"
	@echo "make bench        this client beside its peers, ROUNDS=$(ROUNDS) (about half an hour); make bench-quick: under two minutes"
	@echo "make bench-tls    handshakes, requests over TLS, policies and contexts, beside the goals (about six minutes)"
	@echo "make bench-transfer  files, forms, streams and bodies of 100 MB and 1 GB, beside the goals (about ten minutes)"
	@echo "make bench-parse  the response decoder beside a parser in C, a few seconds once built"
	@echo "make bench-pictures  the pictures of the README and of the documentation, drawn from Benchmarks/speed.json"
	@echo "make fuzz         libFuzzer on the parsers, FUZZ_SECONDS=$(FUZZ_SECONDS) each"
	@echo "make sanitize     the suite under AddressSanitizer and ThreadSanitizer"
	@echo "make soak         hostile servers beside a healthy one, SOAK_SECONDS=$(SOAK_SECONDS); make soak-sanitize: under both sanitizers"
	@echo "make thresholds   allocations, system calls, instructions, retains and releases of a request beside the committed limits (three minutes)"
	@echo "make lint         swift-format, house rules, names in guides, and the table of what has to behave as in Alamofire"
	@echo "make examples     the examples of the README and of the documentation, built and run"
	@echo "make example-server  what the examples talk to when they are run without arguments, on loopback, until Ctrl-C"
	@echo "make nightly      what takes longer: sanitizers, fuzzing, the long soak, packages that depend on this one (two hours)"
	@echo "make install      the command tern, its completions and its manual page, below PREFIX=$(PREFIX)"
	@echo "make docs         the documentation as static pages in docs-out/; fails on what is undocumented or links nowhere"

demo:
	@scripts/install-dependencies build
	swift build -c release --product TernDemoMain
	@"$$(swift build -c release --show-bin-path)/TernDemoMain"

test:
	@scripts/install-dependencies build traits test
	@scripts/run-tests

# As programs in Swift are shipped to Linux machines: with the runtime inside.
BENCH_BUILD = swift build -c release --static-swift-stdlib --package-path Benchmarks
BENCH = "$$($(BENCH_BUILD) --show-bin-path)/tern-bench"

bench:
	@scripts/install-dependencies build test bench peers
	$(BENCH_BUILD)
	@Benchmarks/Peers/build
	@$(BENCH) run --rounds $(ROUNDS) --command "$$(scripts/build-command)" \
		--json Benchmarks/.build/bench.json --svg Benchmarks/.build/bench.svg
	@scripts/check-thresholds

bench-quick:
	@scripts/install-dependencies build test bench
	$(BENCH_BUILD)
	@$(BENCH) run --quick

bench-tls:
	@scripts/install-dependencies build test bench
	$(BENCH_BUILD)
	@$(BENCH) tls

bench-transfer:
	@scripts/install-dependencies build test bench
	$(BENCH_BUILD)
	@$(BENCH) transfer

bench-parse:
	@scripts/install-dependencies build test bench
	$(BENCH_BUILD)
	@$(BENCH) parse

PICTURES = Sources/Tern/Tern.docc/Resources

# Benchmarks/speed.json has the figures of the run in Speed.md: a file that `tern-bench run --json` wrote, or a part of one.
bench-pictures:
	@scripts/install-dependencies build test bench
	$(BENCH_BUILD)
	@$(BENCH) draw Benchmarks/speed.json --few $(PICTURES)/speed.svg --all $(PICTURES)/speed-all.svg

fuzz:
	@scripts/install-dependencies build traits
	@Tests/Fuzz/run $(FUZZ_SECONDS)

sanitize:
	@scripts/install-dependencies build traits test
	LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/LeakSanitizer.suppressions \
		TEST_WIDTH=2 scripts/run-tests --sanitize=address --scratch-path .build-asan
	TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/ThreadSanitizer.suppressions \
		TEST_WIDTH=2 scripts/run-tests --sanitize=thread -Xswiftc -DTHREAD_SANITIZER --scratch-path .build-tsan

# SOAK_SANITIZE=address or thread for one of them; SOAK_OPTIONS=--seed N … repeats a run.
soak:
	@scripts/install-dependencies build
	@Tests/Soak/run $(or $(SOAK_SANITIZE),release) --seconds $(SOAK_SECONDS) $(SOAK_OPTIONS)

soak-sanitize:
	@scripts/install-dependencies build
	@Tests/Soak/run address --seconds $(SOAK_SECONDS) $(SOAK_OPTIONS)
	@Tests/Soak/run thread --seconds $(SOAK_SECONDS) $(SOAK_OPTIONS)

# `scripts/check-thresholds --record` writes the figures down.
thresholds:
	@scripts/check-thresholds

lint:
	swift format lint --strict --recursive --parallel Sources Tests Benchmarks/Sources Package.swift Benchmarks/Package.swift
	@scripts/check-house-rules
	@scripts/check-guides
	@scripts/check-rows

docs:
	@scripts/install-dependencies build traits docs
	scripts/build-documentation $(DOCS)

examples:
	@scripts/install-dependencies build traits test
	scripts/try-examples

example-server:
	@scripts/example-server

nightly:
	@scripts/nightly

# The command with its runtime inside, its completions and its manual page, below PREFIX (and DESTDIR).
install:
	@scripts/install-dependencies build run
	@scripts/install-command "$$(scripts/build-command)" "$(DESTDIR)$(PREFIX)"

clean:
	rm -rf .build .build-asan .build-tsan .build-static Benchmarks/.build docs-out
