# Needs python3 (3.11 or newer) and make, nothing else.  Each target makes its own virtual environment on first use.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
DEV    := $(VENV)/.installed-dev
PYTEST := PYTHONWARNDEFAULTENCODING=1 $(BIN)/python -m pytest
RUN    := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help install demo test check lint format docs coverage test-wheel torture bench report build smoke clean openclaw

help: ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)

$(RUN): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(DEV): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(RUN)

install: $(DEV) ## Make the virtual environment with everything for development

demo: $(RUN) ## Set up and show a whole session, offline and without a key
	@$(BIN)/openclaw-memory demo

test: $(DEV) ## Run the tests
	$(PYTEST) -n auto --dist loadfile

check: lint ## Lint, format check and type check
	$(BIN)/mypy

lint: $(DEV) ## Lint and format check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(DEV) ## Format, and fix what lint can fix
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(DEV) ## Write the generated pages
	$(BIN)/python docs/generate.py

coverage: $(DEV) ## Run the tests and list what no test reaches, branches included
	$(PYTEST) -n auto --dist loadfile --cov --cov-report=term-missing:skip-covered

torture: $(DEV) ## Long crash-safety rounds (minutes)
	$(BIN)/python -m pytest -m torture tests/torture tests/store -n 0

openclaw: $(DEV) ## The bridge against the real OpenClaw from npm (eight minutes; skips without npm)
	$(BIN)/python -m pytest -m openclaw tests/bridge -n 0

bench: $(DEV) ## Benchmarks with their references (minutes)
	$(BIN)/python -m benchmarks

report: $(DEV) ## Measure speed and ranking, and write docs/report.md with plots (minutes)
	$(BIN)/python -m benchmarks.page

build: $(DEV) ## Build sdist and wheel, and check what is in the wheel
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/check-wheel-contents dist/*.whl

smoke: build ## Run the built wheel in an empty environment without development dependencies
	rm -rf build/smoke && $(PYTHON) -m venv build/smoke
	build/smoke/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	cd build && smoke/bin/openclaw-memory --help > /dev/null && smoke/bin/openclaw-memory demo > /dev/null
	@echo "smoke: the wheel runs without development dependencies"

# The checkout must not be importable: -I keeps the current folder out, and the copy of the tests has no package beside it.
test-wheel: build ## Run the tests against the built wheel instead of the checkout
	rm -rf build/wheel && mkdir -p build/wheel && $(PYTHON) -m venv build/wheel/venv
	build/wheel/venv/bin/python -m pip install --quiet --disable-pip-version-check "$$(ls dist/*.whl)[dev]"
	cp -R tests docs examples benchmarks pyproject.toml README.md CHANGELOG.md CONTRIBUTING.md Makefile build/wheel
	cd build/wheel && PYTHONWARNDEFAULTENCODING=1 venv/bin/python -I -m pytest -n auto --dist loadfile

clean: ## Remove everything that make made
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
