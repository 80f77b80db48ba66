# Lamina's tasks. `make` alone lists them. Works with GNU make 3.81 and newer, on Linux and macOS.
# Everything runs inside .venv, which `setup` builds from requirements.lock, checked by hash.

PYTHON ?= python3
STEPS ?= 50000
ARGS ?=
LOCK_ARGS ?=

# Relative on purpose: make splits words at blanks, so an absolute path with a blank would break.
BIN := .venv/bin
STAMP := .venv/.lamina-stamp

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint format model mutants faults bench wheel lock clean

help: ## list the targets
	@echo 'make TARGET, where TARGET is one of'
	@sed -n 's/^\([a-z]*\):.*## \(.*\)$$/  \1|\2/p' Makefile | awk -F'|' '{ printf "%-10s %s\n", $$1, $$2 }'
	@echo 'PYTHON=python3.12 picks the interpreter, ARGS="-k name" goes to pytest.'

# The stamp has two lines. The first names interpreter, folder and lock: when it differs, .venv is
# built anew, so that nothing left over can hide a missing dependency. The second names
# pyproject.toml: when only that differs, the package alone is installed again.
setup: ## build .venv from the lock; nothing to do the second time
	@set -e; \
	if ! command -v "$(PYTHON)" >/dev/null 2>&1; then \
	    echo 'Lamina needs Python 3.11 or newer, and there is no "$(PYTHON)" here.' >&2; \
	    echo 'Install one, or name it: make setup PYTHON=/path/to/python3' >&2; exit 1; \
	fi; \
	if ! "$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then \
	    echo "Lamina needs Python 3.11 or newer; $(PYTHON) is $$("$(PYTHON)" --version 2>&1)." >&2; \
	    echo 'Name a newer one: make setup PYTHON=python3.12' >&2; exit 1; \
	fi; \
	keys=$$("$(PYTHON)" -c 'import hashlib, os, sys; \
	digest = lambda *parts: hashlib.sha256(b"\0".join(parts)).hexdigest(); \
	read = lambda name: open(name, "rb").read(); \
	here = os.fsencode(os.path.realpath(".")); \
	version = repr(sys.version_info[:2]).encode(); \
	print("environment", digest(version, here, read("requirements.lock"))); \
	print("package", digest(read("pyproject.toml")))'); \
	if [ -x $(BIN)/python ] && [ -f $(STAMP) ] && [ "$$(cat $(STAMP))" = "$$keys" ]; then exit 0; fi; \
	if ! { [ -x $(BIN)/python ] && [ -f $(STAMP) ] && \
	       [ "$$(head -n 1 $(STAMP))" = "$$(echo "$$keys" | head -n 1)" ]; }; then \
	    if ! "$(PYTHON)" -c 'import ensurepip, venv' >/dev/null 2>&1; then \
	        echo "$(PYTHON) cannot make virtual environments: its ensurepip or venv module is missing." >&2; \
	        echo 'Debian, Ubuntu: apt install python3-venv. Elsewhere: use a Python from python.org,' >&2; \
	        echo 'Homebrew, pyenv or conda, and name it: make setup PYTHON=/path/to/python3' >&2; exit 1; \
	    fi; \
	    python=$$("$(PYTHON)" -c 'import sys; print(getattr(sys, "_base_executable", "") or sys.executable)'); \
	    echo "Building .venv with $$("$(PYTHON)" --version) ..."; \
	    rm -rf .venv; \
	    "$$python" -m venv .venv; \
	    echo 'Installing what requirements.lock names (half a minute or so) ...'; \
	    $(BIN)/python -m pip install --quiet --disable-pip-version-check \
	        --require-hashes --requirement requirements.lock; \
	fi; \
	rm -f $(STAMP); \
	echo 'Installing lamina from this folder ...'; \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	    --no-deps --no-build-isolation --editable .; \
	echo "$$keys" > $(STAMP); \
	echo 'Ready.'

demo: setup ## see Lamina work, in a temporary folder
	@$(BIN)/lamina demo

test: lint ## everything that must hold before a change goes in
	$(BIN)/python -m pytest -n auto $(ARGS)

lint: setup ## formatting, lint, types, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports

format: setup ## rewrite the code in the house format
	$(BIN)/ruff check --select I --fix .
	$(BIN)/ruff format .

model: setup ## random histories against the reference store; STEPS=50000
	$(BIN)/python -m tests.model.long --steps $(STEPS)

mutants: setup ## plant every known bug and see that a test catches it
	LAMINA_MUTANTS=all $(BIN)/python -m pytest tests/stores/test_mutants.py $(ARGS)

faults: setup ## kill and fail the store mid-write; a short run, the long harness is still to come
	@if [ -d tests/faults ]; then \
	    $(BIN)/python -m pytest tests/faults $(ARGS); \
	else \
	    echo 'There are no fault tests yet (tests/faults).' >&2; exit 1; \
	fi

bench: setup ## measure writes on this machine
	@mkdir -p build
	$(BIN)/lamina bench write --dir build/bench

wheel: setup ## build dist/*.whl and dist/*.tar.gz
	$(BIN)/python -m build --no-isolation --outdir dist

lock: setup ## write requirements.lock anew; LOCK_ARGS=--upgrade takes newer versions
	UV_PYTHON_DOWNLOADS=never $(BIN)/uv pip compile --quiet --universal --generate-hashes \
	    --python-version 3.11 --group dev --no-emit-index-url \
	    --custom-compile-command 'make lock' $(LOCK_ARGS) --output-file requirements.lock pyproject.toml

clean: ## remove what builds and tests leave behind; .venv stays
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
