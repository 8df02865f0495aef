# The two commands of the README are `make demo` and `make test`. Each sets up what it needs in .venv once.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
OTHER_PYTHONS ?= 3.12 3.13
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL = -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
JOBS ?= 2
# PyTorch is tested on Python 3.11 alone: it is large, and everything but training runs without it.
EXTRAS ?= parquet,plots,train
# Likewise the tests on the large data sets below $$XCLARE_DATA.
SELECT ?=

.PHONY: help demo test test-others check format docs bench clean

help: ## this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /	/'

demo: $(VENV)/.train ## the bundled data set, end to end
	$(BIN)/xclare demo

test: $(VENV)/.dev ## the tests, on Python 3.11 and then on 3.12 and 3.13 where they are installed
	$(BIN)/python -m pytest -n $(JOBS) $(SELECT)
	@$(MAKE) --no-print-directory test-others

test-others: ## the tests on Python 3.12 and 3.13, where they are installed (on the path, or below pyenv's root)
	@for version in $(OTHER_PYTHONS); do \
	  found=; for python in python$$version $${PYENV_ROOT:-$$HOME/.pyenv}/versions/$$version*/bin/python$$version; do \
	    if $$python -c 'pass' 2>/dev/null; then found=$$python; break; fi; done; \
	  if [ -z "$$found" ]; then echo "Python $$version is not installed: its tests are skipped"; continue; fi; \
	  echo "Python $$version:"; \
	  $(MAKE) --no-print-directory PYTHON=$$found VENV=.venv-$$version OTHER_PYTHONS= EXTRAS=parquet,plots SELECT="-m 'not data'" test || exit 1; \
	done

check: $(VENV)/.dev ## lint, types, architecture
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev ## put the code into its one format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.docs ## the documentation, into docs/_build/html
	$(BIN)/sphinx-build -W -q -b html docs docs/_build/html

bench: $(VENV)/.bench ## the benchmarks; results go to benchmarks/results
	$(BIN)/python benchmarks/readers.py
	$(BIN)/python benchmarks/metrics.py
	$(BIN)/python benchmarks/synthetic.py
	$(BIN)/python benchmarks/graph.py
	@if [ -n "$$XCLARE_DATA" ]; then $(BIN)/python benchmarks/clustering.py --large; \
	else echo "XCLARE_DATA is not set: benchmarks/clustering.py is skipped"; fi

clean: ## remove everything that these commands made
	rm -rf .venv .venv-* docs/_build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/.pip: constraints.txt
	@test -n "$(PYTHON)" || { echo "xclare needs Python 3.11, 3.12 or 3.13: none was found"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python $(PIP_INSTALL) --upgrade pip
	@touch $@

$(VENV)/.base: $(VENV)/.pip pyproject.toml
	$(BIN)/python $(PIP_INSTALL) --editable .
	@touch $@

$(VENV)/.train: $(VENV)/.base
	$(BIN)/python $(PIP_INSTALL) --editable ".[train]"
	@touch $@

$(VENV)/.dev: $(VENV)/.base
	$(BIN)/python $(PIP_INSTALL) --editable ".[$(EXTRAS)]" --group test --group check
	@touch $@

$(VENV)/.docs: $(VENV)/.base
	$(BIN)/python $(PIP_INSTALL) --group docs
	@touch $@

$(VENV)/.bench: $(VENV)/.dev
	$(BIN)/python $(PIP_INSTALL) --group bench
	@touch $@
