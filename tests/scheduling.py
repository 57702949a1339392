"""Distributes the tests over worker processes so that one that hangs or crashes costs one test.

A test that hangs ends its worker by `faulthandler_timeout`, which also works while no thread can run Python.
The scheduler of pytest-xdist 3.8 then starts the test again in the next worker, which ends, too. It can also
wait forever for a new worker to which it gave a module whose tests are all done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from xdist.scheduler import LoadScopeScheduling

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.workermanage import WorkerController


class ModuleScheduling(LoadScopeScheduling):  # type: ignore[misc]  # pytest-xdist has no types
    """Gives each worker whole modules. A worker that ended loses the test that it ran, and no other."""

    def remove_node(self, node: WorkerController) -> str | None:
        """Remove a worker and hand its other tests out again. Returns the test during which it ended."""
        units = self.assigned_work.pop(node)
        waiting = {
            scope: {test: False for test, is_done in unit.items() if not is_done}
            for scope, unit in units.items()
        }
        crashed = next((test for unit in waiting.values() for test in unit), None)
        for scope, unit in waiting.items():
            unit.pop(crashed or "", None)
            if unit:
                self.workqueue[scope] = unit
        for other in self.assigned_work:
            self._reschedule(other)
        return crashed

    def _reschedule(self, node: WorkerController) -> None:
        """Give a worker that has few tests left another module, or let it end if there is none.

        A worker runs its last test when it has the next one, or knows that there is none. One that replaces
        another and still collects gets its turn when it has collected.
        """
        if node.shutting_down or node not in self.registered_collections:
            return
        while self.workqueue and self._pending_of(self.assigned_work[node]) <= 2:
            self._assign_work_unit(node)
        if not self.workqueue:
            node.shutdown()


class RunCount:
    """Counts the tests that ran, for the summary of the process that the user started."""

    def __init__(self) -> None:
        self._reported: set[str] = set()
        self._session: pytest.Session | None = None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self._session = session

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._reported.add(report.nodeid)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say how many of the selected tests did not run."""
        assert self._session is not None
        missing = self._session.testscollected - len(self._reported)
        if missing > 0 and not terminalreporter.config.option.collectonly:
            terminalreporter.write_sep("=", f"{missing} tests did not run", red=True)


def make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling | None:
    """Return the scheduler for `--dist loadscope`; None for others, for which pytest-xdist has its own."""
    return ModuleScheduling(config, log) if config.getvalue("dist") == "loadscope" else None
