"""Runs an agent so that nothing of it is left afterwards, not even what it put into the background. Linux only.

A process that loses its parent is adopted by this program (`PR_SET_CHILD_SUBREAPER`), so every process an agent ever
started stays below it in the tree, whatever group or session it chose.
"""

import ctypes
import fcntl
import os
import signal
import socket
import struct
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Tuple

GRACE_SECONDS = 3.0

_PR_SET_CHILD_SUBREAPER = 36
_CLONE_NEWNET = 0x40000000
_SIOCSIFFLAGS = 0x8914
_IFF_UP = 1


@dataclass
class Ran:
    """How a program ended, and the command lines of what it left running (ended by now)."""

    code: int
    stdout: str
    stderr: str
    seconds: float
    left: List[str]
    timed_out: bool


def adopt_orphans() -> None:
    """Makes this process the parent of every orphan below it."""
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "could not adopt orphans")


def leave_the_network() -> None:
    """Moves this process to a network of its own that has nothing but loopback; needs root."""
    if ctypes.CDLL(None, use_errno=True).unshare(_CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "could not leave the network")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP))


def run(command: List[str], environment: Dict[str, str], folder: Path, limit_seconds: float) -> Ran:
    """Runs a program without input in a process group of its own, and ends everything it started."""
    start = time.monotonic()
    with open(folder / "stdout", "w+b") as stdout, open(folder / "stderr", "w+b") as stderr:
        process = subprocess.Popen(
            command,
            env=environment,
            cwd=folder / "work",
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
        timed_out = False
        try:
            process.wait(limit_seconds)
        except subprocess.TimeoutExpired:
            timed_out = True
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        seconds = time.monotonic() - start
        left = _end_everything()
    texts = [(folder / name).read_bytes().decode("utf-8", "replace") for name in ("stdout", "stderr")]
    return Ran(process.returncode, texts[0], texts[1], seconds, left, timed_out)


def below(process: int) -> List[int]:
    """All living processes below a process."""
    children: Dict[int, List[int]] = {}
    for number, parent in _processes():
        children.setdefault(parent, []).append(number)
    found, waiting = [], [process]
    while waiting:
        inner = children.get(waiting.pop(), [])
        found += inner
        waiting += inner
    return found


def _end_everything() -> List[str]:
    """Gives what is left a moment to end by itself, then ends it; returns the command lines of those."""
    deadline = time.monotonic() + GRACE_SECONDS
    while _reaped() and time.monotonic() < deadline:
        time.sleep(0.05)
    left = [_command_line(number) for number in _reaped()]
    while _reaped():
        for number in below(os.getpid()):
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.05)
    return left


def _reaped() -> List[int]:
    """What lives below this process, after taking leave of what has ended."""
    for number in below(os.getpid()):
        try:
            os.waitpid(number, os.WNOHANG)
        except ChildProcessError:
            pass  # not a child of ours yet: its own parent lives
    return below(os.getpid())


def _processes() -> List[Tuple[int, int]]:
    pairs = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue  # it ended meanwhile
            pairs.append((int(entry.name), int(stat.rpartition(")")[2].split()[1])))
    return pairs


def _command_line(number: int) -> str:
    try:
        words = Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return "ended"
    return " ".join(word.decode("utf-8", "replace") for word in words).strip()
