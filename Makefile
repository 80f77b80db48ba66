# Lamina's tasks. `make` alone lists them. Works with GNU make 3.81 and newer, on Linux and macOS.
# Everything runs inside .venv, which `setup` builds from requirements.lock, checked by hash; `serve`
# is content with the smaller requirements-serve.lock.

PYTHON ?= python3
STEPS ?= 50000
# How much of each fault `make faults` tries; 0 leaves one out.
SEED ?= 1
KILLS ?= 500
AMNESIA ?= 40
ECHOES ?= 200
QUERIES ?= 10000
WRITES ?= 500
STOPS ?= 20
SECONDS ?= 60
OPENS ?= 20
CROWD ?= 60
CUTS ?= 3000
CALLS ?= 1000
FULL ?= 20
DAMAGES ?= 900
PLAYS ?= 500
PROJECTIONS ?= 300
TASK_KILLS ?= 100
RESTORES ?= 300
BACKUPS ?= 50
CROSSING ?= 200000
FORKS ?= 20
CLOCKS ?= 50
TAMPERINGS ?= 1000
PG_CUTS ?= 200
PG_KILLS ?= 50
PG_PAUSES ?= 20
HOT_OUTAGES ?= 200
MUTANTS ?= 100
# How large a store `make bench` fills, and where sets of questions lie, if there are any.
RECORDS ?= 100000
DATA ?=
ARGS ?=
SUITES ?=
LOCK_ARGS ?=

# Relative on purpose: make splits words at blanks, so an absolute path with a blank would break.
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help setup serve demo conformance test suite test-postgres test-redis test-ui pages pictures types lint format model mutants faults bench wheel lock clean

help: ## list the targets
	@echo 'make TARGET, where TARGET is one of'
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)$$/  \1|\2/p' Makefile | awk -F'|' '{ printf "%-13s %s\n", $$1, $$2 }'
	@echo 'PYTHON=python3.12 picks the interpreter, ARGS="-k name" goes to pytest.'

setup: ## build .venv from the lock; nothing to do the second time
	@command -v "$(PYTHON)" >/dev/null 2>&1 || { \
	    echo 'Lamina needs Python 3.11 or newer, and there is no "$(PYTHON)" here.' >&2; \
	    echo 'Install one, or name it: make setup PYTHON=/path/to/python3' >&2; exit 1; }
	@"$(PYTHON)" tools/setup.py

serve: ## serve the memories of this folder's store, on http://127.0.0.1:8484
	@command -v "$(PYTHON)" >/dev/null 2>&1 || { echo 'No "$(PYTHON)" here: make serve PYTHON=…' >&2; exit 1; }
	@"$(PYTHON)" tools/setup.py serve
	@$(BIN)/lamina serve $(ARGS)

demo: setup ## see Lamina work, in a temporary folder
	@$(BIN)/lamina demo

# Types keep one core busy for most of a minute, and the tests need not wait for them.
test: setup ## everything that must hold before a change goes in
	@$(MAKE) --no-print-directory -j 2 lint suite

suite: setup
	$(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

# What tests.postgres.apart names is left out, with the reason.
ABOVE_STORES := $(addprefix tests/,test_*.py layers orchestration runtime lifecycle paging compaction \
    curation proposing extraction sources importing exporting adapters remote tokens)

test-postgres: setup ## the Postgres store at length: pauses, several servers, an older version, all above it
	$(BIN)/python -m pytest tests/postgres tests/postgres/long_*.py -n auto --dist worksteal $(ARGS)
	LAMINA_TEST_POSTGRES=16 $(BIN)/python -m pytest tests/postgres -n auto --dist worksteal $(ARGS)
	$(BIN)/python -m pytest -p tests.postgres.shim $(ABOVE_STORES) -n auto --dist worksteal $(ARGS)
	$(BIN)/python -m pytest -o python_files='served_*.py' tests/postgres/servers -n 2 $(ARGS)

test-ui: setup ## build the web interface again, compare it, and use it in Chromium
	$(BIN)/python -m tests.ui.run $(ARGS)

pages: types ## check the web interface and build it into the package
	$(BIN)/python -m tests.ui.run pages

pictures: setup ## draw the pictures of the web interface in docs/images anew
	$(BIN)/python -m tests.ui.run pictures

types: setup ## write the types of the server's answers, for the web interface
	$(BIN)/python -m tools.web_types

lint: setup ## formatting, lint, types, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports

format: setup ## rewrite the code in the house format
	$(BIN)/ruff check --select I --fix .
	$(BIN)/ruff format .

# Two tests differ by right: what has run out is gone, and a store that is open already knows no Redis.
test-redis: setup ## layers, leases, tasks and files with their hot layers in a Redis
	$(BIN)/python -m pytest -n auto -p tests.hot.shim tests/layers tests/orchestration tests/runtime \
	    tests/test_leasing.py tests/test_changes.py tests/test_undo.py tests/test_exchange.py \
	    --deselect 'tests/layers/test_faces.py::test_a_signal_goes_when_its_time_is_over[sqlite]' \
	    --deselect tests/test_leasing.py::test_who_is_not_heard_of_loses_it_and_knows_before_it_goes_on $(ARGS)

conformance: setup ## other projects' own tests, run against us; SUITES="mcp claude" picks some
	$(BIN)/python -m tests.conformance.run $(SUITES)

model: setup ## random histories against the reference store; STEPS=50000
	$(BIN)/python -m tests.model.long --steps $(STEPS)

mutants: setup ## plant every known bug and see that a test catches it
	LAMINA_MUTANTS=all $(BIN)/python -m pytest tests/mutants $(ARGS)

faults: setup ## break the world on purpose and look for what was acknowledged; KILLS=500, ...
	$(BIN)/python -m tests.faults.run --seed $(SEED) --json build/faults.json \
	    --size kills=$(KILLS) --size amnesia=$(AMNESIA) --size echoes=$(ECHOES) \
	    --size queries=$(QUERIES) \
	    --size writers=$(WRITES) --size stops=$(STOPS) \
	    --size first_open=$(OPENS) --size restores=$(RESTORES) --size backups=$(BACKUPS) --size crossing=$(CROSSING) \
	    --size forks=$(FORKS) --size feeds=$(SECONDS) --size crowd=$(CROWD) \
	    --size clocks=$(CLOCKS) --size cuts=$(CUTS) \
	    --size calls=$(CALLS) --size full=$(FULL) --size tampering=$(TAMPERINGS) \
	    --size damage=$(DAMAGES) --size files=$(PLAYS) --size projections=$(PROJECTIONS) \
	    --size orchestrator=$(TASK_KILLS) \
	    --size server_cuts=$(PG_CUTS) --size server_kills=$(PG_KILLS) \
	    --size server_pauses=$(PG_PAUSES) --size hot_outages=$(HOT_OUTAGES) \
	    --size mutants=$(MUTANTS) $(ARGS)

bench: setup ## measure on this machine: writes, speed with size, and recall with DATA=folder
	@mkdir -p build
	$(BIN)/lamina bench write --dir build/bench
	$(BIN)/lamina bench speed --records $(RECORDS) --plot build/growth.svg --dir build/bench
	@if [ -n "$(DATA)" ]; then $(BIN)/lamina bench retrieval --data "$(DATA)" --dir build/bench; fi

wheel: setup ## build dist/*.whl and dist/*.tar.gz
	$(BIN)/python -m build --no-isolation --outdir dist

lock: setup ## write requirements.lock anew; LOCK_ARGS=--upgrade takes newer versions
	UV_PYTHON_DOWNLOADS=never $(BIN)/uv pip compile --quiet --universal --generate-hashes \
	    --python-version 3.11 --group dev --extra server --no-emit-index-url \
	    --custom-compile-command 'make lock' $(LOCK_ARGS) --output-file requirements.lock pyproject.toml
	UV_PYTHON_DOWNLOADS=never $(BIN)/uv pip compile --quiet --universal --generate-hashes \
	    --python-version 3.11 --group serve --extra server --extra postgres --extra redis --no-emit-index-url -c requirements.lock \
	    --custom-compile-command 'make lock' --output-file requirements-serve.lock pyproject.toml
	UV_PYTHON_DOWNLOADS=never $(BIN)/uv pip compile --quiet --universal --generate-hashes \
	    --python-version 3.11 --no-emit-index-url -c requirements.lock \
	    --custom-compile-command 'make lock' --output-file tests/conformance/requirements.lock \
	    tests/conformance/requirements.in
	UV_PYTHON_DOWNLOADS=never $(BIN)/uv pip compile --quiet --universal --generate-hashes \
	    --python-version 3.11 --no-emit-index-url -c requirements.lock \
	    --custom-compile-command 'make lock' --output-file tests/ui/requirements.lock \
	    tests/ui/requirements.in

clean: ## remove what builds and tests leave behind; .venv stays
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
