# Every target sets up .venv first, unless it is up to date. Requires only make and Python 3.11 or newer with venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# The versions that the tests last passed with. `make CONSTRAINTS= test` uses the ranges of pyproject.toml instead.
CONSTRAINTS ?= constraints.txt
CORES ?= $(shell nproc 2>/dev/null || echo 2)

.DEFAULT_GOAL := help
.PHONY: help setup quick benchmark plan list retry report ui server test test-fast faults lint docs bench results calibrate clean
# `make benchmark PROFILE=slurm` uses a folder of profiles/. Without PROFILE, jobs run on this machine.
PROFILE ?=
# Snakemake from .venv, after removing the lock of a killed run.
SNAKEMAKE = export PATH="$(CURDIR)/$(BIN):$$PATH"; python workflow/scripts/clear_stale_lock.py && \
  snakemake $(if $(PROFILE),--profile profiles/$(PROFILE),--cores $(CORES))
# `make benchmark PRESET=quick`, `make plan PRESET=quick`: apply a preset of workflow/presets to config.yaml.
PRESET ?=
PORT ?= 5000
CONFIG = $(if $(PRESET),--config preset=$(PRESET))
RESULTS = results$(if $(PRESET),/$(PRESET))

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

setup: $(READY) ## Create .venv (done by the other targets when needed)

# uv takes seconds where pip takes minutes. If uv is not available or does not find the index, pip installs.
$(READY): pyproject.toml $(CONSTRAINTS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "hypercut needs Python 3.11 or newer; found: $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@# A .venv of another Python, or one that was never finished, is made again.
	@test -x $(BIN)/pip && test "$$($(BIN)/python -V)" = "$$($(PYTHON) -V)" || \
	  { echo "Creating $(VENV) ..."; rm -rf $(VENV); $(PYTHON) -m venv $(VENV); } || \
	  { rm -rf $(VENV); echo "Could not create a virtual environment. On Debian: apt-get install python3-venv"; exit 1; }
	@echo "Installing hypercut and its dependencies into $(VENV) ..."
	@$(BIN)/pip install --quiet --disable-pip-version-check uv 2>/dev/null || echo "uv is not available: using pip (slower)"
	@if test -x $(BIN)/uv; \
	  then VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/uv pip install --quiet --compile-bytecode $(addprefix --constraint ,$(CONSTRAINTS)) --editable '.[workflow,slurm,server,approximate,examples,docs,dev]'; \
	  else false; fi || \
	  $(BIN)/pip install --quiet --disable-pip-version-check $(addprefix --constraint ,$(CONSTRAINTS)) --editable '.[workflow,slurm,server,approximate,examples,docs,dev]'
	@touch $@

quick: $(READY) ## Run the whole benchmark on small data, in minutes
	@$(SNAKEMAKE) --config preset=quick

benchmark: $(READY) ## Run or resume the full benchmark of config.yaml (see make plan)
	@$(SNAKEMAKE) $(CONFIG)

plan: $(READY) ## Forecast core-hours, wall time (CORES=8), memory and disk space
	@$(SNAKEMAKE) --quiet all --forcerun plan $(CONFIG) -- plan
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

server: $(READY) ## Run an MLflow server for a team, on PostgreSQL (docs/guide/mlflow-server.md)
	@PATH="$(CURDIR)/$(BIN):$$PATH" bash workflow/scripts/server.sh mlflow-server $(PORT)

test: $(READY) ## Run all tests
	@# One BLAS thread per process: the tests run in parallel processes.
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(CORES) --dist worksteal

test-fast: $(READY) ## Run the tests without workflow, server or large N (under 2 minutes)
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(CORES) --dist worksteal -m "not workflow and not server and not slow"

faults: $(READY) ## Fault injection (about 45 minutes); write docs/tables/faults.csv
	$(BIN)/python -m tests.workflow.faults --out docs/tables/faults.csv $(FAULTS)

lint: $(READY) ## Run the linters: ruff, mypy, import-linter, snakefmt, snakemake --lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/snakefmt --check Snakefile workflow
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/snakemake --lint

# Warnings are errors, and the examples of the gallery run. Nothing is fetched from the network.
docs: $(READY) ## Build the documentation site in docs/_build/html
	@PATH="$(CURDIR)/$(BIN):$$PATH" OMP_NUM_THREADS=1 $(BIN)/sphinx-build --fail-on-warning --keep-going --quiet docs docs/_build/html
	@echo "Site: docs/_build/html/index.html"

bench: $(READY) ## Compare time and memory with scikit-learn on USPS; write docs/SPEED.md
	$(BIN)/hypercut data get usps
	@mkdir -p results
	$(BIN)/hypercut data featurize usps --out results/usps.npz
	$(BIN)/python benchmarks/clustering.py --data results/usps.npz --out docs/SPEED.md --readme README.md
	$(BIN)/python benchmarks/scale.py

# After hypercut archive: a test compares the documents with the reference.
results: $(READY) ## Write the results of reference/ into README.md and docs/results.md
	@$(BIN)/python -m hypercut.report.publication reference README.md docs/results.md

calibrate: $(READY) ## Measure what algorithms cost, for make plan and for requests of jobs (10 minutes)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python benchmarks/calibrate.py

clean: ## Remove .venv and caches, but no results or data
	rm -rf $(VENV) .import_linter_cache .mypy_cache .pytest_cache .ruff_cache .hypothesis build docs/_build docs/gallery docs/api/generated
