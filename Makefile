# Every everyday command of Portolan. `make help` lists them.
.DEFAULT_GOAL := help
PYTHON := .venv/bin/python
ARGS ?=
WORKERS ?= 3
PYTEST := -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

.PHONY: help setup run test test-all services check docs bench bench-search conformance faults fuzz

help: ## List these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: .venv/.ready ## Set up .venv with the locked packages

.venv/.ready: uv.lock pyproject.toml deploy/setup.sh
	@sh deploy/setup.sh
	@touch $@

run: .venv/.ready ## Start web, sidecar, worker and nginx on a demo that indexes this checkout
	@exec $(PYTHON) -m deploy.run

test: .venv/.ready ## Run the tests that need no service
	$(PYTHON) $(PYTEST) -m "not services" $(ARGS)

test-all: .venv/.ready ## Run every test against real PostgreSQL, Redis, nginx, Chromium and sshd
	$(PYTHON) -m tests.services $(PYTHON) $(PYTEST) $(ARGS)

services: ## Install PostgreSQL, Redis, nginx, Chromium, sshd and npm with apt
	@sh deploy/services.sh

check: .venv/.ready ## Format, lint, types, import contracts, generated files
	@sh deploy/check.sh

docs: .venv/.ready ## Write the generated pages of docs/ anew
	$(PYTHON) manage.py generate_docs

bench: .venv/.ready ## Print the speed figures beside their bars
	@sh deploy/optional.sh bench/__main__.py "the speed benchmark" $(PYTHON) -m bench $(ARGS)

bench-search: .venv/.ready ## Print the search figures beside their bars
	@sh deploy/optional.sh bench/search/__main__.py "the search benchmark" $(PYTHON) -m bench.search $(ARGS)

conformance: .venv/.ready ## Run the official MCP conformance suite
	@sh deploy/optional.sh tests/conformance/__main__.py "the conformance run" $(PYTHON) -m tests.conformance $(ARGS)

faults: .venv/.ready ## Run the long fault tests: processes killed under load
	@sh deploy/optional.sh tests/faults/__main__.py "the run of fault tests" $(PYTHON) -m tests.faults $(ARGS)

fuzz: .venv/.ready ## Send random and hostile input to the whole sidecar (ARGS="--cases 100000")
	$(PYTHON) -m tests.fuzz $(ARGS)
