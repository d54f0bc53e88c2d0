# Everything a person or CI runs. Needs python3.11 and make; sets up the rest in .venv.

PYTHON ?= python3.11
BIN := .venv/bin
STAMP := .venv/.installed
DEMO := build/demo

.DELETE_ON_ERROR:
.PHONY: demo test test-all check bench reproduce fuzz format clean install

# one thread per process: two pytest workers share two cores
export OMP_NUM_THREADS ?= 1

# bytecode is kept: each of the many processes would compile the same thousand files
unexport PYTHONDONTWRITEBYTECODE

install: $(STAMP)

# torch first: it is large, and its exact build decides what the rest resolves to
$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt torch==2.13.0
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[onnxruntime,openvino,tvm,reproduce,dev]'
	touch $@

# compile SkipNet, run the host on real pictures where PyTorch cannot be imported, verify it
demo: $(STAMP)
	$(BIN)/python -m dycl compile zoo/skipnet.py --output $(DEMO)/skipnet_dycl
	$(BIN)/python zoo/demonstration.py $(DEMO)/skipnet_dycl
	$(BIN)/python -m dycl verify zoo/skipnet.py $(DEMO)/skipnet_dycl --count 100 --baseline trace

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: check
	$(BIN)/python -m pytest -n 2 -m 'not slow'

test-all: check
	$(BIN)/python -m pytest -n 2

# every published table on every model of the zoo, in an hour; goes on where it was stopped
reproduce: $(STAMP)
	$(BIN)/python -m dycl reproduce all --minutes 55

# latency, compile time and what each pass brings; a part of what `reproduce` makes
bench: $(STAMP)
	$(BIN)/python -m dycl reproduce latency overhead ablation

# N random programs, rewritten and (a tenth) as host packages; failures land in build/fuzz
N ?= 1000
SEED ?= 0
fuzz: $(STAMP)
	$(BIN)/python -m tests.fuzz.run --count $(N) --seed $(SEED)

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
