# Everything a fresh clone needs: Python 3.11+, make and a package registry. Each target sets itself up.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# More than two for each core: half of the time a test waits for a server or for a disk.
WORKERS ?= 5
MINUTES ?= 20
SECONDS ?= 300

.PHONY: demo test lint types floors tests docs docs-serve witnesses real sanitize soak bench replay lock clean

demo: $(READY)
	@$(BIN)/gossamer demo

# One command runs everything; the parts can be run alone while working.
test: lint types floors tests

lint: $(READY)
	@$(BIN)/ruff check src tests bench examples reference deploy
	@$(BIN)/ruff format --check src tests bench examples reference deploy

types: $(READY)
	@$(BIN)/mypy

floors: $(READY)
	@$(BIN)/lint-imports --no-cache

# Files in the order of their folders: crash tests and stories take longest, so they come first and nobody waits for the last one.
tests: $(READY)
	@$(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m "not alone"
	@$(BIN)/pytest -m alone
	@$(PYTHON) tests/support/witnesses.py --missing

# The documentation as a site, in .site: a broken link, a missing anchor or a page that the outline forgot is an error. `docs-serve`
# shows it on a port of this machine and builds it again when a page is written.
docs docs-serve: export NO_MKDOCS_2_WARNING = 1
docs: $(READY)
	@$(BIN)/python -m mkdocs build --strict
	@echo "open .site/index.html, or: make docs-serve"

docs-serve: $(READY)
	@$(BIN)/python -m mkdocs serve --strict

# What tests/real judges by: Debian's servers, documentation and applications (needs root and apt, starts no service), and PyPI's
# in .witnesses/venv.
witnesses:
	@$(PYTHON) tests/support/witnesses.py

# How gossamer, wget2 and a Scrapy spider fare on real applications: the table of docs/explanation/real-sites.md.
real: $(READY)
	@$(BIN)/python tests/support/real.py --peers

# Every compiled module with address and undefined-behaviour sanitizers, under its tests and a fuzz of SECONDS; seeds are printed.
sanitize: $(READY)
	@$(BIN)/python tests/support/sanitized.py --seconds $(SECONDS)

# All real applications and hostile inputs, broken framings and kills many times over, a long fuzz under the sanitizers, then mixed
# faults for MINUTES; seeds are printed.
soak: $(READY)
	@REAL_APPLICATIONS=all $(BIN)/pytest tests/real --timeout 1800
	@GOSSAMER_HOSTILE=all $(BIN)/pytest tests/unit/test_no_call_holds_the_loop.py --timeout 1200
	@GOSSAMER_FRAMING_TIMES=50 $(BIN)/pytest tests/stories/test_broken_framings.py --timeout 1200
	@GOSSAMER_SOAK_PACE=5000 $(BIN)/pytest tests/stories/test_pace.py --timeout 1200
	@GOSSAMER_SOAK_KILLS=50 $(BIN)/pytest tests/crash/test_killed_crawl.py tests/crash/test_killed_script.py --timeout 1200
	@GOSSAMER_SOAK_DOOR_KILLS=20 $(BIN)/pytest tests/crash/test_killed_doors.py --timeout 1200
	@GOSSAMER_SOAK_SINK_KILLS=100 $(BIN)/pytest tests/crash/test_killed_sinks.py --timeout 1800
	@SOAK_DAMAGES=1000 $(BIN)/pytest tests/crash/test_damaged_stores.py --timeout 1800 -s
	@GOSSAMER_SOAK_SCRAPES=60 $(BIN)/pytest tests/real/test_prometheus.py --timeout 600
	@GOSSAMER_SOAK_DASHBOARD=1 $(BIN)/pytest tests/stories/test_dashboard.py tests/stories/test_dashboard_story.py
	@GOSSAMER_SOAK_SCHEMA=200 $(BIN)/pytest tests/stories/test_rest_schema.py --timeout 7200
	@GOSSAMER_SOAK_UNASKED=20 $(BIN)/pytest tests/stories/test_unasked.py
	@$(BIN)/python tests/support/sanitized.py --seconds 900 --tests
	@$(BIN)/python tests/support/soak.py --minutes $(MINUTES)

# All of them in about 20 minutes: make bench. Some: make bench ONLY=versus,stages. Smaller or larger: make bench SCALE=--quick.
bench: $(READY)
	@$(BIN)/python -m bench $(if $(ONLY),--only $(ONLY)) $(SCALE)

# pywb and py-wacz pin old libraries, so each lives in an environment of its own.
replay: $(READY)
	@$(BIN)/python examples/replay.py

# Resolve dependencies anew; the lock names no index.
lock: $(READY)
	@$(BIN)/pip install --quiet --disable-pip-version-check uv
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --extra dev --no-header --no-annotate pyproject.toml -o requirements.lock

$(READY): requirements.lock pyproject.toml hatch_build.py $(wildcard src/gossamer/*.[ch] src/gossamer/*/*.[ch] src/gossamer/*/*/*.[ch])
	@echo "setting up $(VENV) ..."
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "gossamer needs Python 3.11 or newer: make PYTHON=/path/to/python3.11"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	@GOSSAMER_STRICT=1 $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $(READY)

clean:
	rm -rf $(VENV) .replay .replay-wacz .pytest_cache .mypy_cache .ruff_cache .hypothesis .sanitize bench/results bench/.venv .witnesses .site demo.crawl
