# `make` lists the targets. Everything runs in the folder's own .venv; nothing is installed outside it.
SHELL := /bin/sh
.SHELLFLAGS := -eu -c
.DEFAULT_GOAL := help

# Whatever the caller's setting: many of our commands start Python, and compiling every module each time takes seconds.
export PYTHONDONTWRITEBYTECODE :=

PYTHON ?= python3
XDIST ?= 2
PY := .venv/bin/python
MANAGE := $(PY) manage.py
UV := $(PY) -m uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --no-annotate \
	--custom-compile-command "make lock"

.PHONY: help setup setup-dev up test check lint types imports templates security consistency schema-check \
	bench lock schema screenshots audit-deps clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile

setup: ## Make .venv with the locked requirements and the kndl command (PYTHON=python3.12 chooses the Python)
	@$(PYTHON) scripts/setup.py requirements.txt

setup-dev: ## The same with what tests and checks need
	@$(PYTHON) scripts/setup.py requirements.txt requirements-dev.txt

up: setup ## Start Kndl (DEMO=1 fills a Space with sample memory)
	@exec $(MANAGE) up $(if $(filter 1 yes true,$(DEMO)),--demo) $(ARGS)

test: setup-dev ## Run the tests (ARGS="tests/test_x.py -k words", XDIST=0 for one process)
	@$(PY) -m pytest -n $(XDIST) $(ARGS)

check: lint types imports templates security consistency schema-check ## Everything that needs no running Kndl

lint: setup-dev
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .

types: setup-dev
	@$(PY) -m mypy

imports: setup-dev
	@$(PY) -c 'from importlinter.cli import lint_imports_command; lint_imports_command()'

templates: setup-dev
	@$(PY) -m djlint templates --lint --check

security: setup-dev
	@$(PY) -m bandit --quiet --recursive . --configfile pyproject.toml --severity-level high

consistency: setup-dev
	@$(MANAGE) check
	@$(MANAGE) makemigrations --check --dry-run

schema-check: setup-dev
	@new=$$(mktemp); trap 'rm -f "$$new"' EXIT; \
	$(MANAGE) spectacular --validate --fail-on-warn --file "$$new"; \
	diff -u docs/openapi.yaml "$$new" || { echo "docs/openapi.yaml is not what the code says: run make schema" >&2; exit 1; }

schema: setup-dev ## Write docs/openapi.yaml
	@$(MANAGE) spectacular --validate --fail-on-warn --file docs/openapi.yaml

bench: setup-dev ## Measure (ARGS="facts", "recall", "layers", "library" or "kip")
	@$(PY) -m bench $(ARGS)

lock: setup-dev ## Compile the locks from the .in files (ARGS=--upgrade takes newer versions); needs the network
	@$(UV) $(ARGS) requirements.in -o requirements.txt
	@$(UV) $(ARGS) requirements-dev.in -o requirements-dev.txt

screenshots: setup-dev ## Take the pages' pictures into artifacts/screenshots, and the README's
	@SCREENSHOTS=1 KNDL_REQUIRE=chromium $(PY) -m pytest -m browser $(ARGS)
	@mkdir -p docs/images
	@cp artifacts/screenshots/facts-light-wide.png docs/images/facts.png

audit-deps: setup-dev ## Look the locked versions up among known vulnerabilities; needs the network
	@$(PY) -m pip_audit --require-hashes --disable-pip -r requirements.txt
	@$(PY) -m pip_audit --require-hashes --disable-pip -r requirements-dev.txt

clean: ## Remove .venv and caches; data/ stays
	@rm -rf .venv .venv.unfinished .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache artifacts
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
