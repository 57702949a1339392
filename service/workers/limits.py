"""Limits of a child process: its memory, its priority, and its rank when memory runs out."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import time
from pathlib import Path
from typing import ClassVar, Final

_NICENESS: Final = 10
_AUTOGROUP_SECONDS: Final = 0.11
_TRIES: Final = 5
# Constants of winnt.h and winbase.h.
_LIMIT_PROCESS_MEMORY: Final = 0x100
_EXTENDED_LIMITS: Final = 9
_BELOW_NORMAL_PRIORITY: Final = 0x4000


def physical_memory() -> int:
    """Return the memory of this machine in bytes."""
    if sys.platform == "win32":
        status = _MemoryStatus(ctypes.sizeof(_MemoryStatus))
        if not ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
            raise ctypes.WinError()
        return status.total
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def return_free_memory() -> None:
    """Return the freed memory of this process to the system, where the C library is glibc."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def limit_memory(max_bytes: int) -> None:
    """Limit the data segment of this process to `max_bytes`; on Windows the memory that it commits."""
    if sys.platform == "win32":
        _limit_windows_memory(max_bytes)
    else:
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(
            resource.RLIMIT_DATA,
            (max_bytes if hard == resource.RLIM_INFINITY else min(max_bytes, hard), hard),
        )


if sys.platform == "win32":

    class _MemoryStatus(ctypes.Structure):
        """MEMORYSTATUSEX of sysinfoapi.h."""

        _fields_: ClassVar = [
            ("size", ctypes.c_uint32),
            ("load_percent", ctypes.c_uint32),
            ("total", ctypes.c_uint64),
            ("rest", ctypes.c_uint64 * 6),
        ]

    class _BasicLimits(ctypes.Structure):
        """JOBOBJECT_BASIC_LIMIT_INFORMATION of winnt.h."""

        _fields_: ClassVar = [
            ("process_time", ctypes.c_int64),
            ("job_time", ctypes.c_int64),
            ("flags", ctypes.c_uint32),
            ("minimum_working_set", ctypes.c_size_t),
            ("maximum_working_set", ctypes.c_size_t),
            ("processes", ctypes.c_uint32),
            ("affinity", ctypes.c_size_t),
            ("priority", ctypes.c_uint32),
            ("scheduling", ctypes.c_uint32),
        ]

    class _Limits(ctypes.Structure):
        """JOBOBJECT_EXTENDED_LIMIT_INFORMATION of winnt.h; memory in bytes."""

        _fields_: ClassVar = [
            ("basic", _BasicLimits),
            ("io_counters", ctypes.c_uint64 * 6),
            ("process_memory", ctypes.c_size_t),
            ("job_memory", ctypes.c_size_t),
            ("peak_process_memory", ctypes.c_size_t),
            ("peak_job_memory", ctypes.c_size_t),
        ]

    def _limit_windows_memory(max_bytes: int) -> None:
        """Put this process into a job with the limit. It stays there until it ends. Raises OSError."""
        kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel32.CreateJobObjectW.restype = kernel32.GetCurrentProcess.restype = ctypes.c_void_p
        limits = _Limits(process_memory=max_bytes)
        limits.basic.flags = _LIMIT_PROCESS_MEMORY
        job = ctypes.c_void_p(kernel32.CreateJobObjectW(None, None))
        size = ctypes.sizeof(limits)
        if not (
            kernel32.SetInformationJobObject(job, _EXTENDED_LIMITS, ctypes.byref(limits), size)
            and kernel32.AssignProcessToJobObject(job, ctypes.c_void_p(kernel32.GetCurrentProcess()))
        ):
            raise ctypes.WinError(ctypes.get_last_error())


def lower_priority() -> None:
    """Lower the priority of this process.

    On Linux this process becomes the leader of a new session, so it gets no signals of a terminal.
    """
    if sys.platform == "win32":
        kernel32 = ctypes.windll.kernel32
        kernel32.SetPriorityClass(ctypes.c_void_p(kernel32.GetCurrentProcess()), _BELOW_NORMAL_PRIORITY)
    else:
        # A container may forbid this.
        with contextlib.suppress(OSError):
            os.nice(_NICENESS)
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            _lower_session()


def _lower_session() -> None:
    # With autogroup, Linux applies a niceness only within its session: sched(7).
    if os.getsid(0) != os.getpid():
        os.setsid()
    for _ in range(_TRIES):
        try:
            Path("/proc/self/autogroup").write_text(str(_NICENESS), "ascii")
            return
        except BlockingIOError:
            # The kernel allows one change of an autogroup in the whole system within this time.
            time.sleep(_AUTOGROUP_SECONDS)


def end_first() -> None:
    """Make this process the first that the kernel kills when memory runs out (Linux)."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("900", "ascii")
