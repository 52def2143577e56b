# Every target works on a fresh clone with only Python 3.11, pip and a C++ compiler: `make quickstart`, `make test`.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
WORKERS := 2
JETS := 20000
CHROMIUM := $(shell command -v chromium chromium-browser google-chrome | head -1)

.PHONY: help quickstart reproduce test lint check test-slow sanitize races torture browser bench wheel docs figures clean

help:  ## what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-11s %s\n", $$1, $$2}'

quickstart: $(READY)  ## collisions, trees, two trained taggers and a report: into quickstart/, in three to six minutes
	$(BIN)/jetgram generate w-vs-qcd --jets $(JETS) --test-share 0.4 --out quickstart/jets --seed 1 --workers $(WORKERS)
	$(BIN)/jetgram inspect quickstart/jets --out quickstart/jets.png
	$(BIN)/jetgram show quickstart/jets --split test --jet 7 --topology all --out quickstart/jet.png
	$(BIN)/jetgram train quickstart/jets --recipe paper --resume --out quickstart/simple-kt
	$(BIN)/jetgram train quickstart/jets --recipe modern --resume --out quickstart/modern
	$(BIN)/jetgram report quickstart/jets quickstart/simple-kt quickstart/modern --out quickstart/report.html

reproduce: $(READY)  ## every table and figure of the paper, small: into study/, in ten minutes
	$(BIN)/jetgram reproduce all --scale quick --out study --workers $(WORKERS)

test: lint browser  ## everything that must hold: the checks, the tests, the examples in docstrings and pages
	$(BIN)/pytest -n $(WORKERS)

lint: $(READY)  ## lint, format, types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

check: lint  ## the same, and the direction of the imports
	$(BIN)/pytest -q tests/test_imports.py

test-slow: $(READY)  ## the tests that take minutes
	$(BIN)/pytest -n $(WORKERS) -m slow

# The core is installed next to the usual one. Without `site` (-S) Python does not see the editable install, whose finder
# would come first; what else is installed is found by its path.
SANITIZED := build/sanitize/site
SANITIZE_TESTS := tests/test_native_checks.py tests/test_threads.py tests/networks/engine tests/inputs tests/trees tests/jets \
    tests/torture/test_native.py
sanitize: $(READY)  ## the native core's tests under address and undefined-behaviour sanitizers
	$(BIN)/pip install -qq --no-deps --no-build-isolation --upgrade --target $(SANITIZED) \
	    --config-settings=build-dir=build/sanitize --config-settings=cmake.define.JETGRAM_SANITIZE=address,undefined .
	PYTHONPATH="$(SANITIZED):$$($(BIN)/python -c 'import sys; print(":".join(p for p in sys.path if "site-packages" in p))')" \
	    LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so):$$($(CXX) -print-file-name=libstdc++.so.6)" \
	    ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	    $(BIN)/python -S -m pytest -q -p no:cacheprovider $(SANITIZE_TESTS)
	JETGRAM_SANITIZE=address,undefined $(BIN)/pytest -q -n 0 tests/cpp

RACES := build/races/site
races: $(READY)  ## the native core on many threads under the thread sanitizer
	$(BIN)/pip install -qq --no-deps --no-build-isolation --upgrade --target $(RACES) \
	    --config-settings=build-dir=build/races --config-settings=cmake.define.JETGRAM_SANITIZE=thread .
	PYTHONPATH="$(RACES):$$($(BIN)/python -c 'import sys; print(":".join(p for p in sys.path if "site-packages" in p))')" \
	    LD_PRELOAD="$$($(CXX) -print-file-name=libtsan.so)" \
	    TSAN_OPTIONS="ignore_noninstrumented_modules=1 exitcode=66" $(BIN)/python -S tests/torture/thread_work.py

# `make torture TORTURE=0.05` does a twentieth of it.
TORTURE := 1
torture: $(READY) sanitize races  ## kills, flipped bits, nasty jets, wrong arguments, missing resources, an hour of work: all of it
	JETGRAM_TORTURE=$(TORTURE) $(BIN)/pytest -n $(WORKERS) --dist loadfile tests/torture
	JETGRAM_TORTURE=$(TORTURE) $(BIN)/pytest -n $(WORKERS) -m slow -k kill tests/studies tests/training tests/cli

browser:  ## Chromium for the tests of the reports, where it is missing and can be installed; they are skipped without it
	@[ -n "$(CHROMIUM)" ] || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null \
	    && apt-get install -qq -y chromium > /dev/null 2>&1; } \
	    || echo "no Chromium, and it cannot be installed here: the tests in a browser will be skipped"

bench: $(READY)  ## how fast, as ratios measured side by side
	$(BIN)/jetgram bench
	for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python "$$script"; done

# PATH holds nothing but the new environment: no compiler, and none is asked for.
WHEEL := build/wheel
wheel: $(READY)  ## a wheel, into dist/, and a smoke test of it in a new environment without a compiler
	rm -rf $(WHEEL) dist && mkdir -p $(WHEEL)
	$(BIN)/python -m pip wheel -qq --no-deps --no-build-isolation --wheel-dir dist .
	$(BIN)/python -m venv $(WHEEL)/env
	PATH="$(CURDIR)/$(WHEEL)/env/bin" $(WHEEL)/env/bin/pip install -qq --constraint constraints.txt --only-binary :all: dist/*.whl
	cd $(WHEEL) && PATH="$(CURDIR)/$(WHEEL)/env/bin" env/bin/python -P $(CURDIR)/tests/smoke_wheel.py
	@ls -sh dist/*.whl

docs: $(READY)  ## the documentation, into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "site/index.html"

figures: quickstart  ## the quickstart's pictures in the documentation, made anew
	cp quickstart/jet.png quickstart/jets.png docs/figures/
	$(BIN)/jetgram show quickstart/jets --split test --jet 7 --topology kt --out docs/figures/kt.png
	$(BIN)/jetgram show quickstart/jets --split test --jet 7 --model quickstart/simple-kt --out docs/figures/importance.png

clean:  ## remove what was built; the virtual environment stays
	rm -rf build dist site quickstart .mypy_cache .pytest_cache .ruff_cache .hypothesis

# The environment is made once, and again when what it depends on changes: a touched kernel is compiled anew.
# The build tools are installed first and without isolation, so that they too have the versions of constraints.txt.
$(READY): pyproject.toml constraints.txt CMakeLists.txt $(wildcard native/* native/*/*)
	@python=$$(for candidate in python3.11 python3; do \
	    "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$candidate" && break; done) \
	  || { echo "jetgram needs Python 3.11 or newer; found: $$(python3 --version 2>&1)" >&2; exit 1; }; \
	  [ -x $(BIN)/python ] || { echo "making $(VENV) with $$($$python --version)"; "$$python" -m venv $(VENV); }
	$(BIN)/pip install -qq --constraint constraints.txt scikit-build-core nanobind cmake ninja
	@echo "installing jetgram and what it needs: minutes the first time, seconds later"
	$(BIN)/pip install -qq --constraint constraints.txt --no-build-isolation --editable '.[dev]'
	@[ -n "$${JETGRAM_PURE:-}" ] || $(BIN)/python -c "import jetgram._native" 2> /dev/null || { echo "the native core was not built; why, says:" \
	    "$(BIN)/pip install -v --no-build-isolation --no-deps --editable ." >&2; exit 1; }
	@touch $@
