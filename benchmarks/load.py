"""Applies load to an HTTP service with wrk, which takes little processor time."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Sends the requests one after another, repeatedly, and prints the results as JSON.
_SCRIPT = """
local targets = {}
for line in io.lines("TARGETS") do targets[#targets + 1] = line end
local at = 0
request = function()
    at = at % #targets + 1
    return wrk.format(nil, targets[at])
end
done = function(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        '\\n{"requests": %d, "seconds": %.6f, "p50": %.6f, "p99": %.6f, "errors": %d}\\n',
        summary.requests, summary.duration / 1e6,
        latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
        errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
"""


class LoadError(RuntimeError):
    """An answer was not the expected one, so the figure would be wrong."""


@dataclass(frozen=True, slots=True)
class Workload:
    """Requests of one kind: paths with queries in their order. With a `body` they are POST requests."""

    paths: Sequence[str]
    body: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class LoadResult:
    """The result of a load: requests per second, and the 50th and 99th percentiles of their times in ms."""

    per_second: float
    p50: float
    p99: float
    requests: int


def apply_load(url: str, work: Workload, *, token: str = "", connections: int, seconds: float) -> LoadResult:
    """Send the requests of `work` over `connections` connections for `seconds`. Raises LoadError."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with tempfile.TemporaryDirectory() as folder:
        targets, script = Path(folder) / "targets", Path(folder) / "script.lua"
        targets.write_text("\n".join(work.paths) + "\n", "utf-8")
        lines = [_SCRIPT.replace("TARGETS", str(targets))]
        if work.body is not None:
            lines += ['wrk.method = "POST"', f"wrk.body = {json.dumps(json.dumps(work.body))}"]
            headers["Content-Type"] = "application/json"
        lines += [f"wrk.headers[{json.dumps(key)}] = {json.dumps(value)}" for key, value in headers.items()]
        script.write_text("\n".join(lines), "utf-8")
        # wrk accepts only whole seconds.
        flags = ("-t", "1", "-c", str(connections), "-d", f"{max(round(seconds), 1)}s", "--timeout", "60s")
        command = ["wrk", *flags, "-s", str(script), url]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
    report = json.loads(run.stdout.strip().splitlines()[-1])
    if report["errors"] or not report["requests"]:
        raise LoadError(f"{report['errors']} of {report['requests']} requests of {work.paths[0]} failed")
    per_second = report["requests"] / report["seconds"]
    return LoadResult(per_second, report["p50"], report["p99"], report["requests"])
