# The front door. Every target sets up .venv by itself, and does nothing when it is up to date.
# Needs python3 (3.11 or newer, with venv and pip) and make; nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# The versions the tests last passed with. `make CONSTRAINTS= test` lets the ranges of pyproject.toml decide.
CONSTRAINTS ?= constraints.txt
CORES ?= $(shell nproc 2>/dev/null || echo 2)

.DEFAULT_GOAL := help
.PHONY: help setup quick benchmark plan retry report ui server test faults lint bench clean
# `make benchmark PROFILE=slurm`: where the jobs run, a folder of profiles/. Without one, on this machine.
PROFILE ?=
# Snakemake from .venv. What a killed run left locked is unlocked, if its owner is gone.
SNAKEMAKE = export PATH="$(CURDIR)/$(BIN):$$PATH"; python workflow/scripts/clear_stale_lock.py && \
  snakemake $(if $(PROFILE),--profile profiles/$(PROFILE),--cores $(CORES))
# `make benchmark PRESET=quick`, `make plan PRESET=quick`: a preset of workflow/presets instead of config.yaml alone.
PRESET ?=
PORT ?= 5000
CONFIG = $(if $(PRESET),--config preset=$(PRESET))
RESULTS = results$(if $(PRESET),/$(PRESET))

help: ## List the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

setup: $(READY) ## Build .venv (the other targets do it by themselves)

# uv installs in seconds what takes pip minutes; where uv cannot be had or does not find the index, pip does it.
$(READY): pyproject.toml $(CONSTRAINTS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "hypercut needs Python 3.11 or newer; found: $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@test -x $(BIN)/pip || { rm -rf $(VENV); $(PYTHON) -m venv $(VENV); } || \
	  { rm -rf $(VENV); echo "Could not make a virtual environment. On Debian: apt-get install python3-venv"; exit 1; }
	@echo "Installing hypercut and its dependencies into $(VENV) ..."
	@$(BIN)/pip install --quiet --disable-pip-version-check uv 2>/dev/null || echo "uv is not available here: using pip (slower)"
	@if test -x $(BIN)/uv; \
	  then VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/uv pip install --quiet --compile-bytecode $(addprefix --constraint ,$(CONSTRAINTS)) --editable '.[workflow,slurm,server,dev]'; \
	  else false; fi || \
	  $(BIN)/pip install --quiet --disable-pip-version-check $(addprefix --constraint ,$(CONSTRAINTS)) --editable '.[workflow,slurm,server,dev]'
	@touch $@

quick: $(READY) ## Set up and run the whole pipeline on small data, in minutes
	@$(SNAKEMAKE) --config preset=quick
	@echo "Report: results/quick/report/index.html    MLflow: make ui PRESET=quick"

benchmark: $(READY) ## Run the full benchmark of config.yaml; run it again to carry on (see: make plan)
	@$(SNAKEMAKE) $(CONFIG)
	@echo "Report: $(RESULTS)/report/index.html    MLflow: make ui$(if $(PRESET), PRESET=$(PRESET))"

plan: $(READY) ## Tell how many jobs, core-hours, memory and disk a benchmark takes
	@$(SNAKEMAKE) --quiet all --forcerun plan $(CONFIG) -- plan
	@cat $(RESULTS)/plan.txt

retry: $(READY) ## Compute the clusterings again that failed, and what follows from them
	@$(BIN)/hypercut discard $(RESULTS) --failed
	@$(MAKE) --no-print-directory benchmark

report: $(READY) ## Build the report from the results that are there, complete or not
	@$(BIN)/hypercut report $(RESULTS)

ui: $(READY) ## Open the results in MLflow
	@$(BIN)/hypercut ui $(RESULTS) --port $(PORT)

server: $(READY) ## Run an MLflow server for a team, on PostgreSQL (docs/TRACKING.md)
	@PATH="$(CURDIR)/$(BIN):$$PATH" bash workflow/scripts/server.sh mlflow-server $(PORT)

test: $(READY) ## Set up and run the tests
	@# One BLAS thread a process: the processes are the parallelism.
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(CORES) --dist worksteal

faults: $(READY) ## Kill, fill, unplug: what is lost (docs/CLUSTER.md); takes three quarters of an hour
	$(BIN)/python -m tests.workflow.faults

lint: $(READY) ## Run the linters: ruff, mypy, snakefmt, snakemake --lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile workflow
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/snakemake --lint

bench: $(READY) ## Time and memory of PKO+HSC on USPS against scikit-learn's SpectralClustering
	$(BIN)/hypercut data get usps
	@mkdir -p results
	$(BIN)/hypercut data featurize usps --out results/usps.npz
	$(BIN)/python benchmarks/clustering.py --data results/usps.npz

clean: ## Remove .venv and caches; results and data stay
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis build
