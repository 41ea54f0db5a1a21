"""Stands between an agent and the server and writes both directions of the wire to a file.

usage: wire_recorder.py FILE PROGRAM [ARGUMENT]…

So the checks compare what the server really sent with what reached the model.
"""

import json
import signal
import subprocess
import sys
import threading
import time


def copy(source, target, direction, log, lock):
    for line in iter(source.readline, b""):
        entry = {"at": time.time(), "from": direction, "line": line.decode("utf-8", "replace").strip()}
        with lock:
            log.write(json.dumps(entry) + "\n")
            log.flush()
        target.write(line)
        target.flush()
    target.close()


def main():
    server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, _: server.send_signal(number))
    lock = threading.Lock()
    with open(sys.argv[1], "a", encoding="utf-8") as log:
        upward = threading.Thread(
            target=copy, args=(sys.stdin.buffer, server.stdin, "agent", log, lock), daemon=True
        )
        upward.start()
        copy(server.stdout, sys.stdout.buffer, "server", log, lock)
        code = server.wait()
    sys.exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
