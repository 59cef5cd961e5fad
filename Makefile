# Every target sets up .venv first, unless it is up to date. Requires only make and Python 3.11 or newer with venv.
# make benchmark PRESET=quick    a preset of workflow/presets; also for list, plan, retry, report and ui
# make benchmark PROFILE=slurm   a folder of profiles/; by default, jobs run on this machine
# make CONSTRAINTS= test         the version ranges of pyproject.toml, not the versions that the tests last passed with

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
CONSTRAINTS ?= constraints.txt
EXTRAS := workflow,slurm,server,approximate,docs,dev
CORES ?= $(shell nproc 2>/dev/null || echo 2)
PORT ?= 5000
IN_VENV := PATH="$(CURDIR)/$(BIN):$$PATH"
SNAKEMAKE = $(IN_VENV) snakemake $(if $(PROFILE),--profile profiles/$(PROFILE),--cores $(CORES))
UNLOCK := $(IN_VENV) python workflow/scripts/unlock.py
CONFIG = $(if $(PRESET),--config preset=$(PRESET))
RESULTS = results$(if $(PRESET),/$(PRESET))

.DEFAULT_GOAL := help
.PHONY: help setup quick benchmark plan list retry report ui test test-fast faults lint docs bench results clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

setup: $(READY) ## Create .venv (done by the other targets when needed)

# uv takes seconds where pip takes minutes. If uv is not available or does not find the index, pip installs.
$(READY): pyproject.toml $(CONSTRAINTS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "hypercut needs Python 3.11 or newer; found: $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@# A .venv of another Python version, or an incomplete one, is created again.
	@test -x $(BIN)/pip && test "$$($(BIN)/python -V)" = "$$($(PYTHON) -V)" || \
	  { echo "Creating $(VENV) ..."; rm -rf $(VENV); $(PYTHON) -m venv $(VENV); } || \
	  { rm -rf $(VENV); echo "Could not create a virtual environment. On Debian: apt-get install python3-venv"; exit 1; }
	@echo "Installing hypercut and its dependencies into $(VENV) ..."
	@$(BIN)/pip install --quiet --disable-pip-version-check uv 2>/dev/null || echo "uv is not available: using pip (slower)"
	@for install in "$(BIN)/uv pip install --python $(BIN)/python --compile-bytecode" "$(BIN)/pip install --disable-pip-version-check"; \
	  do $$install --quiet $(addprefix --constraint ,$(CONSTRAINTS)) --editable '.[$(EXTRAS)]' && exit; done; exit 1
	@touch $@

quick: ## Run the whole benchmark on small data, in minutes
	@$(MAKE) --no-print-directory benchmark PRESET=quick

benchmark: $(READY) ## Run or resume the full benchmark of config.yaml (see make plan)
	@$(UNLOCK) && $(SNAKEMAKE) $(CONFIG)

plan: $(READY) ## Forecast core-hours, wall time (CORES=8), memory and disk space
	@$(UNLOCK) && $(SNAKEMAKE) --quiet all --forcerun plan $(CONFIG) -- plan
	@cat $(RESULTS)/plan.txt

list: $(READY) ## List the jobs that a run would execute
	@$(SNAKEMAKE) --dry-run $(CONFIG)

retry: $(READY) ## Rerun failed cells and the steps that depend on them
	@$(BIN)/hypercut discard $(RESULTS) --failed
	@$(MAKE) --no-print-directory benchmark

report: $(READY) ## Build the report from the available results
	@$(BIN)/hypercut report $(RESULTS)

ui: $(READY) ## Open the results in MLflow
	@$(BIN)/hypercut ui $(RESULTS) --port $(PORT)

# One BLAS thread per process: the tests run in parallel processes.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(CORES) --dist worksteal

test: $(READY) ## Run all tests
	@$(PYTEST)

test-fast: $(READY) ## Run the tests without workflow, server or large N (under 2 minutes)
	@$(PYTEST) -m "not workflow and not server and not slow"

faults: $(READY) ## Fault injection (about 45 minutes); write docs/tables/faults.csv
	$(BIN)/python -m benchmarks.faults --out docs/tables/faults.csv $(FAULTS)

lint: $(READY) ## Run the linters: ruff, mypy, import-linter, snakefmt, snakemake --lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/snakefmt --check Snakefile workflow
	$(IN_VENV) snakemake --lint

# Warnings are errors, and the examples of the gallery run. Nothing is fetched from the network.
docs: $(READY) ## Build the documentation site in docs/_build/html
	@$(IN_VENV) OMP_NUM_THREADS=1 sphinx-build --fail-on-warning --keep-going --quiet docs docs/_build/html
	@echo "Site: docs/_build/html/index.html"

bench: $(READY) ## Compare time and memory with scikit-learn on USPS; write docs/speed.md
	$(BIN)/hypercut data get usps
	@mkdir -p results
	$(BIN)/hypercut data featurize usps --out results/usps.npz --overwrite
	$(BIN)/python -m benchmarks.clustering --data results/usps.npz --out docs/speed.md --readme README.md
	$(BIN)/python -m benchmarks.scale

# Run this after hypercut archive: a test compares the documents with the reference.
results: $(READY) ## Write the results of reference/ into README.md, docs/index.md and docs/results.md
	@$(BIN)/python -m hypercut.report.publication reference README.md docs/index.md docs/results.md

clean: ## Remove .venv and caches, but no results or data
	rm -rf $(VENV) .import_linter_cache .mypy_cache .pytest_cache .ruff_cache .hypothesis build docs/_build docs/gallery docs/api/generated
