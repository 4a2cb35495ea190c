# make demo, make test: each sets up all that it needs. make help lists the rest.
.DEFAULT_GOAL := help
SHELL := /bin/sh
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYTHONDONTWRITEBYTECODE :=

SDK_SOURCES := $(shell find sdk/src -name '*.py' -o -name '*.typed') sdk/pyproject.toml
BOTS := $(wildcard sample_bots/*)
PIP_INSTALL := -m pip install --quiet --no-warn-script-location

.PHONY: help demo test oldest check bench run runtime proto clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv/.installed .venv-bot/.installed ## play the sample bots against each other, in sandboxes
	@.venv/bin/arena demo

test: .venv/.installed-dev .venv-bot/.installed ## run all tests but the bench
	@.venv/bin/python -m pytest $(PYTEST_ARGS)

oldest: .venv-oldest/.installed .venv-bot/.installed ## run the tests on the oldest versions that are allowed
	@.venv-oldest/bin/python -m pytest tests/unit tests/property tests/integration/test_store*.py tests/integration/test_cli*.py tests/integration/test_sdk*.py

check: .venv/.installed-dev ## format, lint, types, layers, generated code, lengths
	@.ci/check

bench: .venv/.installed-dev .venv-bot/.installed ## measure; prints a table, writes bench.json
	@.venv/bin/python -m tests.bench

run: .venv/.installed .venv-bot/.installed ## play your own bots: make run BOTS="my_bot sample_bots/random"
	@.venv/bin/arena run $(BOTS) $(ARGS)

runtime: .venv-bot/.installed ## (re)build the Python environment that bots run in

proto: ## regenerate the wire's Python code
	@proto/generate.sh

clean: ## remove what make made
	rm -rf .venv .venv-bot .venv-oldest .venv-proto .pytest_cache .mypy_cache .ruff_cache .hypothesis bench.json

.venv/.installed: pyproject.toml sdk/pyproject.toml .ci/python .ci/system
	@.ci/system
	@echo "making .venv"
	@[ -x .venv/bin/python ] || "$$(.ci/python)" -m venv .venv
	@.venv/bin/python $(PIP_INSTALL) -e ./sdk -e .
	@touch $@

.venv/.installed-dev: .venv/.installed
	@echo "adding the test tools to .venv"
	@.venv/bin/python $(PIP_INSTALL) -e ./sdk -e '.[dev]'
	@touch $@

.venv-oldest/.installed: pyproject.toml sdk/pyproject.toml .ci/oldest.txt .ci/python .ci/system
	@.ci/system
	@echo "making .venv-oldest"
	@[ -x .venv-oldest/bin/python ] || "$$(.ci/python)" -m venv .venv-oldest
	@.venv-oldest/bin/python $(PIP_INSTALL) -c .ci/oldest.txt -e ./sdk -e '.[dev]'
	@touch $@

# The bots' own environment: never the arena's. Compiled ahead, since it is read-only for them.
.venv-bot/.installed: .venv/.installed $(SDK_SOURCES)
	@echo "making .venv-bot, the environment that bots run in"
	@[ -x .venv-bot/bin/python ] || "$$(.ci/python)" -m venv .venv-bot
	@.venv-bot/bin/python $(PIP_INSTALL) --force-reinstall --no-deps ./sdk
	@.venv-bot/bin/python $(PIP_INSTALL) --upgrade-strategy only-if-needed ./sdk numpy
	@.venv-bot/bin/python -m compileall -q .venv-bot/lib || true
	@touch $@
