# Every target prepares what it needs. Nothing is installed outside this directory, nothing needs root or a container engine.
# PYTHON names the interpreter of .venv (default: the first of python3, python3.13 … python3.11 that is 3.11 or newer).
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory --no-builtin-rules

BIN := .venv/bin
STAMPS := .venv/stamps
LINK := .build/ansible_collections/zerotouch/openshift
ARTIFACT := .build/artifact/ansible_collections/zerotouch/openshift
PYTEST := PYTHONPATH=$(CURDIR)/.build $(BIN)/python -m pytest -q -p ansible_collections.zerotouch.openshift.tests.support.shard
# Tests with labs wait half of the time: 4 workers for 2 processors.
LAB_WORKERS := 4

export PATH := $(CURDIR)/$(BIN):$(PATH)
export ANSIBLE_COLLECTIONS_PATH := $(CURDIR)/.build
export ANSIBLE_LOCAL_TEMP := $(CURDIR)/.build/tmp
# A test run starts hundreds of processes: without compiled files each spends about a second on compiling its imports.
export PYTHONPYCACHEPREFIX := $(CURDIR)/.build/pycache
unexport ANSIBLE_CONFIG VIRTUAL_ENV PYTHONPATH PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo demo-down test test-all test-hub test-long test-soak test-vm lint sanity unit unit-slow core share one integration labs scenarios matrix test-matrix bench artifact \
        clean format \
        lint-python lint-types lint-shell lint-yaml lint-ansible lint-docs lint-changelog lint-commits lint-tests lint-sanity lint-importer

help: ## This list
	@sed -n 's/^\([a-z-]*\)[a-z -]*:.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 20

# --- what every target needs ---

$(BIN)/uv:
	@tools/make-venv

$(STAMPS)/run: requirements/run.txt lab/pyproject.toml tools/install | $(BIN)/uv
	@tools/install -r requirements/run.txt -e lab && mkdir -p $(STAMPS) && touch $@

$(STAMPS)/dev: requirements/dev.txt $(STAMPS)/run
	@tools/install -r requirements/dev.txt && touch $@

$(LINK):
	@mkdir -p $(dir $@) .build/tmp && ln -sfn ../../.. $@

setup: $(STAMPS)/dev $(LINK) ## Prepare .venv and .build for manual work

# --- show it ---

demo: $(STAMPS)/run $(LINK) ## Start the lab, deploy a cluster into it, deploy again, print the result (DEMO_INVENTORY=sno: one node)
	@tools/demo up

demo-down: $(STAMPS)/run $(LINK) ## Stop what `make demo` started
	@tools/demo down

# --- check it ---

test: setup ## Lint, unit tests, and for each method a deployment, its repetition and a kill
	@tools/steps lint+unit core

# Each step uses all processors; the deployments of the matrix would disturb the labs of another step. Of the soak, which takes hours, a sample.
test-all: setup ## `make test`, all other tests with labs, a sample of the soak, and unit, sanity and a deployment on each ansible-core: two to three hours
	@MATRIX=each ZT_SOAK_SEEDS=$${ZT_SOAK_SEEDS:-6} tools/steps lint+unit sanity unit-slow labs scenarios test-soak matrix

lint: setup ## All static checks, those of the built artifact included
	@$(MAKE) -k -j3 --output-sync=target lint-ansible lint-sanity lint-types lint-python lint-shell lint-yaml lint-docs lint-changelog lint-commits lint-tests lint-importer

lint-python: setup
	@echo "== ruff"; ruff check --quiet . && ruff format --quiet --check .

lint-types: setup
	@echo "== mypy"; MYPYPATH=.build mypy --no-error-summary $(LINK)/plugins
	@MYPYPATH=lab mypy --no-error-summary --cache-dir .mypy_cache/lab lab/ztlab

lint-shell: setup
	@echo "== shellcheck"; shellcheck .ci/run tools/commit-subjects tools/pre-commit-validate tools/demo tools/install tools/kubebuilder-assets tools/make-venv tools/matrix tools/sanity tools/steps tools/vm-setup tests/vm/guest/*

lint-yaml: setup
	@echo "== yamllint"; yamllint --strict .

lint-ansible: setup
	@echo "== ansible-lint"; ansible-lint -q --offline --strict --nocolor -f pep8

lint-changelog: setup
	@echo "== antsibull-changelog"; antsibull-changelog lint

# The rule holds for commits after this one.
SUBJECTS_AFTER := 5b72037
lint-commits:
	@echo "== commit subjects"; tools/commit-subjects $(SUBJECTS_AFTER)

lint-tests:
	@echo "== test ids"; tools/test-ids

lint-docs: artifact
	@echo "== antsibull-docs"; cd $(ARTIFACT) && ANSIBLE_COLLECTIONS_PATH=$(CURDIR)/.build/artifact \
	  antsibull-docs lint-collection-docs --plugin-docs --validate-collection-refs dependent .

# Two of the tests take three quarters of the time: `sanity` has them too.
lint-sanity: artifact
	@echo "== ansible-test sanity"; tools/sanity $(ARTIFACT) --skip-test import --skip-test pylint

sanity: artifact ## All sanity tests of ansible-test, the two that `make lint` leaves out included
	@echo "== ansible-test sanity"; tools/sanity $(ARTIFACT)

lint-importer: artifact
	@echo "== galaxy-importer"; tools/import-check .build/artifact

artifact: setup
	@tools/build-artifact .build/artifact

# Some tests wait for a time limit: two processors have work for three workers.
unit: setup ## Unit tests, without those that take seconds each
	@$(PYTEST) -n 3 -m "not slow" tests/unit

unit-slow: setup ## The unit tests that `make unit` leaves out
	@$(PYTEST) -n 2 -m slow tests/unit

# Suites of minutes each that go the ways of others again, with BareMetalHosts, to the end of a cluster, by modules alone: `make test-hub` has them.
LONG_HUB_SUITES := $(addprefix tests/integration/test_,hub_safety.py hosted_abandoned.py hub_bare_metal.py hub_destroy.py hub_hosted.py hub_agents.py hub_infra_env.py hub_publish.py \
                     hypershift.py hosted.py pool_reserve.py capi.py capi_control_plane.py capi_deploy.py capi_killed.py capi_assisted.py capi_label_selection.py) $(addprefix lab/tests/hub/hypershift/test_,scaling.py life.py) \
                     $(addprefix lab/tests/hub/capi/test_,assisted.py assisted_defects.py metal3.py)

# A deployment of each method that is killed, completed and repeated, and what a run must not touch. The rest is in `integration`, of which .ci/run adds a
# share.
CORE := $(addprefix tests/integration/test_,each_method.py safety_seen.py safety_scenarios.py safety_stores.py)

core: setup ## One deployment, repetition and kill of each method; what a run must not touch
	@$(PYTEST) -n $(LAB_WORKERS) -m "not long" $(wildcard $(CORE))

share: setup ## Files of `integration` that `make test` leaves out, in an order by SHARE (a commit), none started after UNTIL (seconds since 1970)
	@$(PYTEST) -n $(LAB_WORKERS) -m "not long" --shard "$(SHARE)" --until "$(UNTIL)" $(addprefix --ignore=,$(LONG_HUB_SUITES) $(CORE)) $(wildcard tests/integration lab/tests)

one: setup ## One test: TEST='tests/unit/…::test_name'
	@$(PYTEST) -vv "$(TEST)"

integration: setup ## The collection against the lab, and the lab's own tests
	@$(PYTEST) -n $(LAB_WORKERS) -m "not long" $(addprefix --ignore=,$(LONG_HUB_SUITES)) $(wildcard tests/integration lab/tests)

# What `make integration`, `make test-long` and `make test-hub` have, each test once.
labs: setup ## All tests with labs
	@$(PYTEST) -n $(LAB_WORKERS) $(wildcard tests/integration lab/tests)

test-long: setup ## Deployments that are cut off, changed or late, further ways of it
	@$(PYTEST) -n $(LAB_WORKERS) -m long $(wildcard tests/integration lab/tests)

test-hub: setup ## The hub suite; against a real kube-apiserver too where KUBEBUILDER_ASSETS names a directory with it
	@$(PYTEST) -n $(LAB_WORKERS) $(wildcard lab/tests/kubeapi lab/tests/hub $(addprefix tests/integration/test_,hub* hypershift* hosted* pool* several_pools* capi*))

# Each worker has a cluster of its own that sequences share. The name of each test is its seed.
test-soak: setup ## 300 random sequences of playbooks against racks in use: no BMC write without consent (ZT_SOAK_SEEDS: how many, ZT_SOAK_SEED: this one)
	@$(PYTEST) -vv -n $(LAB_WORKERS) tests/soak

# Virtual machines in software emulation, one after the other. tools/vm-setup installs what it needs; what is missing is the reason of its skips.
test-vm: setup ## Real virtual machines boot what the collection builds, by each boot method: minutes; needs tools/vm-setup
	@$(PYTEST) -s --timeout 3600 --basetemp=.build/vm/tests tests/vm

scenarios: setup ## Molecule: the whole deployment as a user would run it
	@set -e; for name in default assisted hub hosted capi; do molecule test --scenario-name $$name; done

matrix test-matrix: setup ## Unit tests on the newer Pythons that are installed here; MATRIX=each, all: every ansible-core too (see tools/matrix)
	@tools/matrix

bench: setup ## The budgets of performance, as ratios measured in one run
	@PYTHONPATH=$(CURDIR)/.build $(BIN)/python -m pytest -q -s tests/benchmarks

format: setup ## Format the Python files
	@ruff check --quiet --fix . ; ruff format --quiet .

clean: demo-down ## Remove everything that these targets made
	@rm -rf .build .venv .ansible .mypy_cache .pytest_cache .ruff_cache .hypothesis
