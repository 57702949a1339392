"""Applies load to an HTTP service: with wrk if it is installed, else with httpx in this process.

wrk takes little processor time. httpx takes more processor time per request than the service, so its figures
are lower. Compare them only with other figures of httpx.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from benchmarks.figures import percentile

CLIENTS = ("wrk", "httpx")

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


def default_client() -> str:
    """Return the default client: wrk if it is installed, else httpx."""
    return "wrk" if shutil.which("wrk") else "httpx"


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


def apply_load(
    url: str, work: Workload, *, token: str = "", connections: int, seconds: float, client: str
) -> LoadResult:
    """Send the requests of `work` over `connections` connections for `seconds`. Raises LoadError."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    if client == "wrk":
        return _run_wrk(url, work, headers, connections, seconds)
    return asyncio.run(_run_httpx(url, work, headers, connections, seconds))


def _run_wrk(
    url: str, work: Workload, headers: dict[str, str], connections: int, seconds: float
) -> LoadResult:
    with tempfile.TemporaryDirectory() as folder:
        targets, script = Path(folder) / "targets", Path(folder) / "script.lua"
        targets.write_text("\n".join(work.paths) + "\n", "utf-8")
        lines = [_SCRIPT.replace("TARGETS", str(targets))]
        if work.body is not None:
            body = json.dumps(work.body)
            lines += ['wrk.method = "POST"', f"wrk.body = {json.dumps(body)}"]
            lines += ['wrk.headers["Content-Type"] = "application/json"']
        lines += [f"wrk.headers[{json.dumps(key)}] = {json.dumps(value)}" for key, value in headers.items()]
        script.write_text("\n".join(lines), "utf-8")
        # wrk accepts only whole seconds.
        flags = ("-t", "1", "-c", str(connections), "-d", f"{max(round(seconds), 1)}s", "--timeout", "60s")
        run = subprocess.run(
            ["wrk", *flags, "-s", str(script), url], capture_output=True, text=True, check=True
        )
    report = json.loads(run.stdout.strip().splitlines()[-1])
    if report["errors"] or not report["requests"]:
        raise LoadError(f"{report['errors']} of {report['requests']} requests of {work.paths[0]} failed")
    return LoadResult(
        report["requests"] / report["seconds"], report["p50"], report["p99"], report["requests"]
    )


async def _run_httpx(
    url: str, work: Workload, headers: dict[str, str], connections: int, seconds: float
) -> LoadResult:
    durations: list[float] = []
    paths = itertools.cycle(work.paths)
    limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)
    async with httpx.AsyncClient(base_url=url, headers=headers, limits=limits, timeout=60) as client:
        started_at = time.perf_counter()

        async def send_requests() -> None:
            while True:
                path, start = next(paths), time.perf_counter()
                if work.body is None:
                    answer = await client.get(path)
                else:
                    answer = await client.post(path, json=work.body)
                durations.append((time.perf_counter() - start) * 1000)
                if answer.status_code != 200:
                    raise LoadError(f"{path}: {answer.status_code} {answer.text[:200]}")
                if time.perf_counter() >= started_at + seconds:
                    return

        await asyncio.gather(*(send_requests() for _ in range(connections)))
        elapsed = time.perf_counter() - started_at
    p50, p99 = percentile(durations, 0.5), percentile(durations, 0.99)
    return LoadResult(len(durations) / elapsed, p50, p99, len(durations))
