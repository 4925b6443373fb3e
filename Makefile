# One entry point for everything: people, the continuous check and the README use the same recipes.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.ONESHELL:
MAKEFLAGS += --no-print-directory

BIN := .venv/bin
PYTHON := $(BIN)/python
# More arguments for pytest, as in: make test PYTEST="-k ledger -x"
PYTEST ?=
TESTS ?= tests $(wildcard e2e)

.PHONY: help setup setup-dev serve test check format e2e bench docs

help: ## list what can be done
	@awk 'BEGIN {FS = ":.*## "} /^[a-z0-9-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## make .venv with the pinned packages; add missing system packages where possible
	@.ci/setup runtime

setup-dev: ## the same, with what tests and checks need
	@.ci/setup dev

serve: setup ## start the product on http://127.0.0.1:8765 and print a one-time sign-in link
	@exec $(BIN)/odeu serve

test: setup-dev ## run every test, the browser's too; a skip that this machine could have run is a failure
	@$(PYTHON) -m pytest --strict-skips -n auto --dist worksteal $(TESTS) $(PYTEST)

check: setup-dev ## format, lint, types, import contracts, docstrings, templates, our own rules
	@status=0
	run() { echo "check: $$*"; $(BIN)/"$$@" || status=1; }
	run ruff format --check --quiet .
	run ruff check --quiet --output-format concise .
	run mypy
	run lint-imports --no-logo
	run interrogate --quiet kernel adapters app/ports tests
	run djlint --lint --quiet templates
	run python -m tests.lint
	exit $$status

format: setup-dev ## put code into the house format
	@$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

e2e: setup-dev ## run the browser stories alone
	@$(PYTHON) -m pytest e2e $(PYTEST)

bench: setup-dev ## measure accept, replay, sandbox start and the tour, each beside a floor of the same run
	@$(PYTHON) -m bench

docs: setup-dev ## write the pages that are made from code: docs/events.md and .env.example
	@$(PYTHON) -m tests.lint.events_doc --write
	$(PYTHON) -m tests.lint.settings_doc --write
