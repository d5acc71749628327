# Two commands for a newcomer: `make run` and `make test`. Everything else is for those who stay.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# worksteal: neighbours in a file share a worker, and with it what their module made once.
PYTEST := $(BIN)/pytest -n logical --dist worksteal
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt

WALK := $(patsubst %,src/benchpin/facts/parsing/%.py,_definitions _extract _grammar _language _links _walker)

.DEFAULT_GOAL := help
# pytest keeps its rewritten modules as bytecode; without that each worker takes 5 s more to start.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup run test test-fast check format generate bench soak chaos collect ingest analyze report conformance interop sarif accessibility fuzz docs dist clean

help: ## Show what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 14

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Benchpin needs Python 3.11 or newer, and $(PYTHON) is not. Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# What every toolset needs, not pictures and traces; Python compiles what is imported, a third of it.
$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) --no-compile --editable '.[fleet,languages,measures,sql,structure,tokens]'
	@touch $@

# Compiled on all cores, which pip does on one; a few files in packages are not for this Python.
$(VENV)/.installed-dev: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) --no-compile --editable '.[dev]'
	@$(BIN)/python -m compileall -qq -j 0 $(VENV)/lib || true
	@touch $(VENV)/.installed $@

$(VENV)/.installed-fuzz: $(VENV)/.installed-dev
	$(PIP) --editable '.[fuzz]'
	@touch $@

$(VENV)/.installed-dist: $(VENV)/.installed-dev
	$(PIP) --editable '.[dist]'
	@touch $@

$(VENV)/.installed-docs: $(VENV)/.installed-dev
	$(PIP) --editable '.[docs]'
	@touch $@

$(VENV)/.installed-bench: $(VENV)/.installed-dev
	$(PIP) --editable '.[bench]'
	@touch $@

# Compiled in place, as the wheels have it. Python runs the text of a module that was edited since.
$(VENV)/.compiled: $(VENV)/.installed-dev $(WALK)
	@echo "Compiling the walk over syntax trees, which takes half a minute."
	@HATCH_BUILD_HOOKS_ENABLE=1 $(BIN)/hatchling build --target wheel --directory $(VENV)/wheel > $(VENV)/compile.log 2>&1 || \
	  echo "The walk stays interpreted, which is slower; $(VENV)/compile.log has the reason."
	@touch $@

setup: $(VENV)/.compiled ## Make .venv with everything for development

run: $(VENV)/.installed ## Serve this repository to a real MCP client and show what comes back
	@$(BIN)/python scripts/tour.py

test: setup ## Run the whole test suite on all cores
	$(PYTEST)

test-fast: setup ## Run what is not marked slow: under a minute, for the inner loop
	$(PYTEST) -m "not slow"

check: setup ## Lint, types, layers, file lengths, size, journeys, state of modules, names, languages, slow patterns, generated files
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/check_lengths.py
	$(BIN)/python scripts/check_size.py
	$(BIN)/python bench/journeys.py
	$(BIN)/python scripts/check_state.py
	$(BIN)/python scripts/check_names.py
	$(BIN)/python scripts/check_languages.py
	$(BIN)/python scripts/check_patterns.py
	$(BIN)/python scripts/check_tool_list.py
	$(BIN)/python scripts/generate.py --check

format: setup ## Format and fix what can be fixed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

generate: setup ## Write the generated parts of README, docs and tests/snapshots
	$(BIN)/python scripts/generate.py

chaos: setup ## Kill, fill the disk and break it at every call that writes to a store
	CHAOS=all $(PYTEST) tests/chaos

bench: setup $(VENV)/.installed-bench ## Measure beside the rivals; TREE=PATH a clone with its history, LOGS="…" slow logs
ifdef TREE
	$(BIN)/python bench/first_minute.py $(TREE)
else
	$(BIN)/python bench/protocol.py
	$(BIN)/python bench/templates.py
endif
ifdef LOGS
	$(BIN)/python bench/performance_slowlog.py $(LOGS)
	$(BIN)/python bench/performance_spx.py
endif

DURATION ?= 1800
soak: setup ## Load a server for DURATION seconds and check every answer; writes docs/soak.md
	$(BIN)/python bench/soak.py $(DURATION)

# From a site to a report; each step goes on from the one before. For example:
#   make collect BASE_URL=http://127.0.0.1:8080 URL_PATHS="/ /search" SLOW_LOG=/var/log/slow.log
collect: $(VENV)/.installed ## Probe BASE_URL (URL_PATHS, SPX_DIRS, SLOW_LOG) and gather a bundle
	@$(BIN)/benchpin perf collect '$(BASE_URL)' $(foreach path,$(URL_PATHS),'$(path)') $(foreach dir,$(SPX_DIRS),--spx-dir '$(dir)') $(if $(SLOW_LOG),--slow-log '$(SLOW_LOG)')

ingest: $(VENV)/.installed ## Read BUNDLE_DIR into a snapshot
	@$(BIN)/benchpin perf ingest '$(BUNDLE_DIR)'

analyze: $(VENV)/.installed ## Say what to fix first in SNAPSHOT_ID, or in what was ingested last
	@$(BIN)/benchpin perf analyze

report: $(VENV)/.installed ## Write that as Markdown, JSON and HTML
	@$(BIN)/benchpin perf report

conformance: setup ## Run the official MCP conformance suite (needs npm)
	$(BIN)/python scripts/conformance.py

interop: setup ## Hold sessions with the official clients (needs npm)
	$(BIN)/python scripts/interop.py

sarif: setup ## Have the official validator judge our SARIF (needs npm)
	$(BIN)/python scripts/sarif.py

accessibility: setup ## Have axe-core judge the pages and a report (needs npm and Chromium)
	$(BIN)/python scripts/accessibility.py

fuzz: setup $(VENV)/.installed-fuzz ## Fuzz the readers; SECONDS=60 for each of TARGETS="…", JOBS=4 at once, or TOTAL=60 for all
	$(BIN)/python scripts/fuzz.py --seconds $(or $(SECONDS),60) --jobs $(or $(JOBS),1) $(if $(TOTAL),--total $(TOTAL)) $(if $(SEED),--seed $(SEED)) $(TARGETS)

docs: setup $(VENV)/.installed-docs ## Build the documentation site into build/site, and check its links
	$(BIN)/python scripts/docs_site.py

PYTHONS ?= $(BIN)/python
dist: setup $(VENV)/.installed-dist ## Build and try the wheels; PYTHONS="python3.11 …", TREE=PATH to analyse, RECORD=1
	PYTHONPATH=bench $(BIN)/python scripts/dist.py $(if $(TREE),--tree '$(TREE)') $(if $(RECORD),--record) $(PYTHONS)
	$(BIN)/python scripts/bundle.py
	$(BIN)/python scripts/vscode.py

clean: ## Remove .venv and caches
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache tests/interop/node_modules
	rm -f src/*.so src/benchpin/facts/parsing/*.so
