# `make run` and `make test` set up .venv when it is missing.
# Only relative paths: the project must work from a directory with spaces in its name.
PYTHON ?= python3
PY = .venv/bin/python
# By wheels (--use-pep517): what an older pip installs without one lacks the text of its licence.
# The tests of a module stay together, because they share what is costly to start.
WORKERS = -n auto --maxprocesses 4 --dist loadscope --no-loadscope-reorder

# .ci/run runs the others, too.
MARKERS = not frozen and not generated and not benchmark
# Options of pytest, or the tests to run instead of all.
TESTS =

.PHONY: run test check bench package installer portable setup insightface clean

setup: .venv/ready

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Walkaround needs Python 3.11 or newer; this is %s. Name another with: make PYTHON=python3.12" % sys.version.split()[0])'
	$(PYTHON) -m venv .venv
	$(PY) -m pip install --quiet --disable-pip-version-check --use-pep517 --constraint constraints.txt --editable '.[dev]'
	$(PY) resources/translations/compile.py
	touch .venv/ready

run: setup
	$(PY) -m shared run

# The face engine insightface, without the OpenCV with windows that it depends on (docs/faces.md).
insightface: setup
	$(PY) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[insightface]'
	$(PY) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --no-deps insightface

test: setup
	QT_QPA_PLATFORM=offscreen $(PY) -m pytest -m '$(MARKERS)' $(WORKERS) $(TESTS)

check: setup
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) docs/words.py
	.venv/bin/python -c 'import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())'

# On a machine with nothing else to do; writes docs/benchmarks.md.
bench: setup
	QT_QPA_PLATFORM=offscreen $(PY) -m benchmarks

package: setup
	PYTHONHASHSEED=0 $(PY) -m PyInstaller --noconfirm --log-level WARN build.spec

# For Debian and Ubuntu; made on the oldest of them that it has to run on.
installer: package
	$(PY) -m resources.packaging.deb

# One folder that runs on any Linux with the same or a newer C library.
portable: package
	$(PY) -m resources.packaging.portable

clean:
	rm -rf build dist out .venv
