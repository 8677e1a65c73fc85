# make test is all that a fresh machine needs: it sets up .venv, checks style, types and layers, and runs the tests that
# take a few minutes together. make test-all adds the others (tests/tiers.py says which, and why).
# PYTHON names the interpreter to build with (3.10 or newer), VENV the folder to build in.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
VENV ?= .venv
WORKERS ?= 2

BIN := $(VENV)/bin
READY := $(VENV)/.keepstate-ready
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
# The source of everything that is written in Python here.
PYTHON_CODE := analyzer server pipeline tests bench conformance examples docs supply vscode-client/server vscode-client/playground

.PHONY: help setup hooks test test-all lint format unit full client modules editors flink demo bench soak corpus conformance accuracy cutovers differential fresh-pairs fuzz faults package version lock ranges test-editors docs web docs-site clean

help:
	@echo "make setup         .venv with Keepstate (editable) and all that development needs"
	@echo "make test          setup, lint, tests of the extension, and the first tier of the tests: minutes"
	@echo "make test-all      also the others: all of Spark, real editors, packages, growth, every measured pair"
	@echo "                   (installs about 0.9 GB of editors in a cache, once; KEEPSTATE_EDITORS=off leaves that out)"
	@echo "make hooks         checks of pre-commit for your commits to this repository: style, types, subjects"
	@echo "make lint          style (ruff), types (mypy), who imports whom (import-linter)"
	@echo "make format        let ruff format and sort what it can"
	@echo "make demo          a job in a git repository, edited: what terminal and editor show (installs 14 packages in"
	@echo "                   .venv-demo, unless make setup was run; DEMO=--keep leaves the repository)"
	@echo "make bench         how fast it is, against its budgets; writes docs/performance.md (twenty minutes;"
	@echo "                   PARTS='parsing server' measures only these and writes nothing)"
	@echo "make soak          a server that is edited against while all around it goes wrong (EDITS=N, MINUTES=N, SEED=N)"
	@echo "make corpus        what becomes of real SQL in CORPUS=folder (statements.jsonl, pairs.jsonl; no part of this"
	@echo "                   repository): what is read, what is unknown and why, how long verdicts take"
	@echo "make conformance   real Flink: restarts the examples of the rule pages and the pairs that were not yet, and writes"
	@echo "                   docs/conformance.md (edit by version) and docs/predictions.md (downloads 0.3 GB a version,"
	@echo "                   once; FLINK='1.18 2.0' names versions, CHOSEN=1 takes only what is in the table,"
	@echo "                   MINUTES=N stops earlier, AGAIN=1 takes all)"
	@echo "make accuracy      random pairs of jobs with the verdicts that the specification gives them; writes docs/accuracy.md"
	@echo "                   (20,000 pairs, some minutes; PAIRS=N makes fewer, SEED=N others, PAIR=N shows a single one)"
	@echo "make differential  rewrites and edits that real Flink plans, against our verdicts: alarms on equal plans, silences on"
	@echo "                   different state; writes its section of docs/accuracy.md (PAIRS=N, default 2,000; SEED=N others;"
	@echo "                   SCRIPTS=folder takes real scripts as well, MINUTES=N stops earlier, PAIR=N shows a single one;"
	@echo "                   the same Flink as make conformance)"
	@echo "make fresh-pairs   the same pairs, on which Flink's planner contradicts the profile, into build/fresh-pairs; fails"
	@echo "                   if a job does not start that the profile lets start (PAIRS=N, SEED=N, MINUTES=N)"
	@echo "make cutovers      runs the cutover plan of each family of changes on a real Flink (and Spark), and writes"
	@echo "                   docs/cutover-proofs.md; fails if an exact plan is not (ONLY='words' takes some, RESULTS=file"
	@echo "                   keeps each result, so that a run that was ended goes on; SETS=N takes so many sets of rows)"
	@echo "make fuzz          odd inputs of all kinds, for MINUTES=N (default 10); what fails is kept in tests/fuzz/regressions"
	@echo "                   (TARGET=NAME fuzzes only that, SEED=N other inputs; with atheris where there are wheels of it;"
	@echo "                   SCRIPTS=folder or lines of JSON: mutates these too, and keeps what fails in build/fuzz;"
	@echo "                   a night: make fuzz MINUTES=480 SEED=\$$(date +%j))"
	@echo "make faults        commands of which each call fails once, in each way: error, short read, stall, kill, full disk,"
	@echo "                   read-only folder (SCENARIO=NAME takes one, SHARE=N so many faults of each, SEED=N others)"
	@echo "make docs          tables and docs/rules/ from the pages of the rules, docs/DEPENDENCIES.md from the locks"
	@echo "make web           the playground in build/playground: Keepstate in a browser, with its Python (needs Node 20)"
	@echo "make docs-site     the documentation as a site in build/docs-site/html, without any address of another host; fails"
	@echo "                   for a link or an anchor that leads nowhere (installs 0.1 GB in .venv-docs, once)"
	@echo "make package       dist/: the wheel, the source, the extension for VS Code, and their checksums"
	@echo "make version       the version of server/keepstate_lsp/version.py, into the files that repeat it"
	@echo "make lock          supply/*.txt: which packages are installed, with hashes (UPGRADE=1: the newest)"
	@echo "make ranges        tries the oldest and the newest dependencies that are allowed (SPARK=1: Spark as well;"
	@echo "                   with sessions of each version that is used; END=oldest, newest or 'Spark 3.5': only that),"
	@echo "                   and writes docs/DEPENDENCIES.md with what came of it"
	@echo "make test-editors  only the tests in editors, and none of them may be left out"

setup: $(READY)
	@:

# A folder with a Python of its own.
define python_for
$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	{ echo "setup: Python 3.10 or newer is needed; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }; \
echo "setup: $(1), with $$($(PYTHON) --version)"; \
test -x $(1)/bin/python || $(PYTHON) -m venv $(1) || \
	{ rm -rf $(1); echo "setup: no venv; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
endef

$(READY): pyproject.toml supply/build.txt supply/development.txt
	@$(call python_for,$(VENV))
	@# What the locks name, to the byte. What makes wheels comes first: without isolation, pip looks for nothing else.
	@$(PIP) install --no-compile --require-hashes --requirement supply/build.txt
	@$(PIP) install --no-compile --require-hashes --no-build-isolation --requirement supply/development.txt
	@$(PIP) install --no-compile --no-deps --no-build-isolation --editable .
	@# Byte code in place, so that the first start of a program costs what every other one costs. pip uses one core.
	@# Tests of others never run, and mypy is compiled. A module that does not compile, as for another Python, is no fault.
	@$(BIN)/python -m compileall -q -j 2 -x '/(tests|pip|setuptools|mypy|mypyc|fontTools|matplotlib)/' $$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') \
		analyzer server pipeline >/dev/null || true
	@touch $@

# Two cores work at once: on what pip and npm install with the tests of the extension, then on types and tests.
test:
	@$(MAKE) --jobs=2 setup client
	@$(MAKE) --jobs=2 lint unit

# The last line is that of pytest. No test runs twice.
test-all: test full

unit: setup
	$(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m "not full"

full: setup editors flink
	$(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m "full"

# The Flink of `keepstate verify`, in a cache of the user, once. Without it, its tests are left out.
flink: setup
	@$(PATIENCE) $(BIN)/python -c 'from keepstate_flink.installation import NEWEST, install; print("Flink", install(NEWEST, print))' || \
		echo "****** FLINK COULD NOT BE DOWNLOADED (see above): restarts are NOT tried on a real one. ******"

hooks: setup
	$(BIN)/pre-commit install

lint: setup
	$(BIN)/ruff check $(PYTHON_CODE)
	$(BIN)/ruff format --check $(PYTHON_CODE)
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup
	$(BIN)/ruff check --fix $(PYTHON_CODE)
	$(BIN)/ruff format $(PYTHON_CODE)

# Empty where there is no npm, or only one of an old Node.
NPM := $(shell node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null && command -v npm)
NODE_MODULES := vscode-client/node_modules/.package-lock.json

# What the client is built with.
modules: $(if $(NPM),$(NODE_MODULES))
	@:

client: modules
ifeq ($(NPM),)
	@echo "****** NO NPM WITH NODE 20 ON THIS MACHINE: the tests of vscode-client are NOT run. ******"
else
	cd vscode-client && npm test --silent
endif

$(NODE_MODULES): vscode-client/package-lock.json
	cd vscode-client && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

# Editors for the tests: VS Code for the packaged extension, Emacs, Vim, Helix. Whatever is missing, all other tests are run.
SETUP_SECONDS ?= 600
PATIENCE := $(shell command -v timeout >/dev/null && echo timeout $(SETUP_SECONDS))

editors: setup
ifeq ($(KEEPSTATE_EDITORS),off)
	@echo "****** KEEPSTATE_EDITORS=off: no editor is set up, and the extension is NOT tried in a real VS Code. ******"
else
	@PYTHON=$(abspath $(BIN))/python $(PATIENCE) tests/editors/vscode/setup.sh || { rm -f vscode-client/keepstate.vsix; \
		echo "****** NO VS CODE COULD BE SET UP (see above): the extension is NOT tried in a real editor. ******"; \
		test "$(KEEPSTATE_EDITORS)" != required; }
	@for editors in emacs-and-vim helix; do $(PATIENCE) tests/editors/setup-$$editors.sh || { \
		echo "****** $$editors COULD NOT BE SET UP (see above): its page is NOT tried in a real editor. ******"; \
		test "$(KEEPSTATE_EDITORS)" != required || exit 1; }; done
endif

# The packages that an installed Keepstate needs and no others, unless all of them are there already. Nothing is built.
DEMO_VENV ?= .venv-demo
DEMO_READY := $(if $(wildcard $(READY)),$(READY),$(DEMO_VENV)/.keepstate-ready)
demo: export PYTHONPATH := $(CURDIR)/analyzer:$(CURDIR)/server
demo: $(DEMO_READY)
	@$(dir $(DEMO_READY))bin/python -m keepstate_lsp.cli.main demo $(DEMO)

$(DEMO_VENV)/.keepstate-ready: supply/runtime.txt
	@$(call python_for,$(DEMO_VENV))
	@$(DEMO_VENV)/bin/python -m pip --quiet --disable-pip-version-check install --require-hashes --requirement $<
	@touch $@

soak: setup
	@nice -n 15 $(BIN)/python bench/soak.py $(if $(EDITS),--edits $(EDITS)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(SEED),--seed $(SEED))

bench: setup $(VENV)/bench/.keepstate-ready
	@$(BIN)/python bench/run.py $(or $(PARTS),--write)

# What Keepstate is compared with, beside what is locked and not among it.
$(VENV)/bench/.keepstate-ready: pyproject.toml
	@rm -rf $(VENV)/bench
	@if $(BIN)/uv pip install --quiet --python $(BIN)/python --target $(VENV)/bench --group bench; then touch $@; \
		else echo "bench: sqlfluff, DuckDB and Polars cannot be had, and are not compared with" >&2; fi

corpus: setup
	@$(BIN)/python bench/corpus.py $(CORPUS)

conformance: setup
	@PYTHONPATH=tests/truth $(BIN)/python conformance/measure.py $(addprefix --flink ,$(FLINK)) \
		$(if $(MINUTES),--minutes $(MINUTES)) $(if $(AGAIN),--again) $(if $(CHOSEN),--chosen)
	@PYTHONPATH=tests/truth $(BIN)/python conformance/version_table.py
	@PYTHONPATH=tests/truth $(BIN)/python conformance/confusion.py --write
	@$(BIN)/python docs/generate_rules.py

accuracy: setup
	@PYTHONPATH=tests/properties:tests/truth:docs nice -n 15 $(BIN)/python tests/accuracy/measure_accuracy.py --pairs $(or $(PAIRS),20000) \
		--seed $(or $(SEED),0) --processes $(WORKERS) $(if $(PAIR),--pair $(PAIR),--write)

differential: setup
	@PYTHONPATH=conformance:conformance/pair_generator:tests/truth:docs nice -n 15 $(BIN)/python conformance/differential/run_differential.py \
		--pairs $(or $(PAIRS),2000) --seed $(or $(SEED),0) $(if $(MINUTES),--minutes $(MINUTES)) \
		$(if $(SCRIPTS),--scripts $(SCRIPTS)) $(if $(PAIR),--pair $(PAIR),--write)

cutovers: setup
	@PYTHONPATH=conformance/cutovers:docs nice -n 15 $(BIN)/python conformance/cutovers/prove_cutovers.py \
		$(if $(ONLY),--only '$(ONLY)',--write) $(if $(RESULTS),--results '$(RESULTS)') $(if $(SETS),--sets $(SETS))

fresh-pairs: setup
	@PYTHONPATH=conformance/pair_generator:tests/truth nice -n 15 $(BIN)/python conformance/fresh_pairs.py \
		--pairs $(or $(PAIRS),1000) --seed $(or $(SEED),0) $(if $(MINUTES),--minutes $(MINUTES))

fuzz: setup
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --group fuzz || \
		echo "fuzz: no atheris here, so inputs are chosen by chance" >&2
	@PYTHONPATH=tests/properties:tests/rules:tests/hostile:tests nice -n 15 $(BIN)/python tests/fuzz/run_fuzz.py \
		--minutes $(or $(MINUTES),10) --seed $(or $(SEED),0) --processes $(WORKERS) $(if $(TARGET),--target $(TARGET)) \
		$(if $(SCRIPTS),--scripts $(SCRIPTS))

faults: setup
	@PYTHONPATH=tests/faults:tests:tests/lsp nice -n 15 $(BIN)/python tests/faults/run_faults.py \
		$(if $(SCENARIO),--scenario "$(SCENARIO)") $(if $(SHARE),--share $(SHARE)) $(if $(SEED),--seed $(SEED))

docs: setup
	$(BIN)/python docs/generate_rules.py
	$(BIN)/python docs/generate_messages.py
	PYTHONPATH=tests/truth $(BIN)/python conformance/version_table.py
	$(BIN)/python docs/generate_schema.py
	$(BIN)/python docs/site/state_drawings.py
	$(BIN)/python docs/generate_dependencies.py

# Nothing is downloaded at run time: what the page needs lies beside it.
web: setup $(NODE_MODULES)
	cd vscode-client && PYTHON=$(abspath $(BIN))/python node playground/build.mjs ../build/playground

# An environment of its own, so that tests and what is delivered stay small.
SITE_VENV ?= .venv-docs
SITE := build/docs-site
docs-site: $(SITE_VENV)/.keepstate-ready
	@$(SITE_VENV)/bin/python docs/site/site_pages.py $(SITE)/pages
ifeq ($(NPM),)
	@echo "****** NO NPM WITH NODE 20 ON THIS MACHINE: the site has NO playground. ******"
else
	@$(MAKE) web
	@cp build/playground/* $(SITE)/pages/playground/
endif
	@# Without --quiet: it also silences --strict, which counts the warnings that are logged.
	@NO_MKDOCS_2_WARNING=1 $(SITE_VENV)/bin/python -m mkdocs build --strict --clean
	@$(SITE_VENV)/bin/python docs/site/foreign_resources.py $(SITE)/html
	@echo "site: open $(SITE)/html/index.html"

$(SITE_VENV)/.keepstate-ready: supply/site.txt
	@$(call python_for,$(SITE_VENV))
	@$(SITE_VENV)/bin/python -m pip --quiet --disable-pip-version-check install --require-hashes --requirement $<
	@touch $@

version: setup
	$(BIN)/python supply/stamp_version.py

lock: setup
	$(BIN)/python supply/lock.py $(if $(UPGRADE),--upgrade)
	$(BIN)/python docs/generate_dependencies.py

ranges: setup
	$(BIN)/python supply/ranges.py $(if $(SPARK),--spark) $(if $(END),--end '$(END)')

# Both packages take their times from the last commit, so that the same commit gives the same bytes.
package: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 1577836800)
package: setup
	@mkdir -p dist
	@rm -f dist/keepstate*
	@rm -f dist/SHA256SUMS
	$(PIP) wheel --no-deps --no-build-isolation --wheel-dir dist .
	$(BIN)/python -m hatchling build --target sdist --directory dist
ifeq ($(NPM),)
	@echo "****** NO NPM WITH NODE 20 ON THIS MACHINE: the extension for VS Code is NOT packaged. ******"
else
	@$(MAKE) $(NODE_MODULES)
	cd vscode-client && PYTHON=$(abspath $(BIN))/python npm run --silent package
	cp vscode-client/keepstate.vsix dist/
endif
	@$(BIN)/python supply/checksums.py dist
	@ls -l dist
	@cat dist/SHA256SUMS

test-editors: export KEEPSTATE_EDITORS = required
test-editors: editors
	$(BIN)/pytest tests/editors

clean:
	rm -rf $(VENV) $(DEMO_VENV) $(SITE_VENV) dist build .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	rm -rf vscode-client/{node_modules,dist,out,bundled,LICENSE,*.vsix}
