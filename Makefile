# `make TASK` is `python3 tasks.py TASK`, which also runs where there is no make.
PYTHON ?= python3

.PHONY: setup run insightface test check bench package installer portable clean

setup run insightface test check bench package installer portable clean:
	@$(PYTHON) tasks.py $@
