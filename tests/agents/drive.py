#!/usr/bin/env python3
"""Real coding agents drive `repolab serve` headless, against a scripted model on loopback: no account, no network.

Each agent gets a home of its own, is pointed at the scripted model, and is offered our server. The model calls every
tool in turn; afterwards each answer that reached it is compared with what the server sent. Install the agents with
`.ci/test-agents FOLDER` first (or have them on PATH), then for example:

  tests/agents/drive.py --installed FOLDER --repolab target/release/repolab --image repolab-test:busybox

The exit code is 0 only if everything holds for every agent.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List

sys.dont_write_bytecode = True  # the source tree stays as it is

import checks
import processes
import sample
import wire
from agents import AGENTS, Agent, Setting
from script import Script
from scripted_model import ScriptedModel

RECORDER = Path(__file__).with_name("wire_recorder.py")


def main() -> int:
    options = _options()
    chosen = list(AGENTS) if options.agent == "all" else options.agent.split(",")
    processes.adopt_orphans()
    offline = _go_offline(options.offline)
    with tempfile.TemporaryDirectory(prefix="repolab-agents-") as temporary:
        place = Path(options.keep or temporary).resolve()
        data = Path(options.data or place / "data").resolve()
        source = sample.write(Path(temporary) / sample.NAME)
        _repos(options, data, "add", str(source), "--name", sample.NAME)
        try:
            reports = [_drive(AGENTS[name], options, data, place / name) for name in chosen]
        finally:
            _repos(options, data, "remove", sample.NAME)
    print(json.dumps(reports, indent=2, ensure_ascii=False) if options.json else _table(reports, options))
    if not options.json:
        print("without a network" if offline else "with this machine's network (see --offline)")
    return 0 if options.survey or not any(report["problems"] for report in reports) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--agent", default="all", help=f"all, or some of {','.join(AGENTS)} [default: all]")
    parser.add_argument("--repolab", type=Path, required=True, help="the program under test")
    parser.add_argument("--image", required=True, help="container image with a shell, for run_in_sandbox")
    parser.add_argument("--installed", type=Path, help="folder of .ci/test-agents [default: agents on PATH]")
    parser.add_argument("--data", help="repolab's data folder; gets the sample [default: a temporary one]")
    parser.add_argument("--engine", help="address of the container engine [default: the usual socket]")
    parser.add_argument("--seconds", type=float, default=180, help="time limit of one agent [default: 180]")
    parser.add_argument(
        "--offline",
        choices=["no", "try", "must"],
        default="no",
        help="run without any network but loopback, to prove that nothing leaves; needs root [default: no]",
    )
    parser.add_argument("--survey", action="store_true", help="grant no permission, show what is called anyway")
    parser.add_argument("--keep", type=Path, help="folder for homes, wire logs and the model's requests")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser.parse_args()


def _go_offline(wish: str) -> bool:
    """Leaves the network as wished: `no`, `try` or `must`; tells whether it was left."""
    if wish == "no":
        return False
    try:
        processes.leave_the_network()
    except OSError:
        if wish == "must":
            raise
        return False
    return True


def _repos(options: argparse.Namespace, data: Path, *arguments: str) -> None:
    command = [str(options.repolab.resolve()), "repos", *arguments, "--data", str(data)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _drive(agent: Agent, options: argparse.Namespace, data: Path, folder: Path) -> Dict[str, Any]:
    """Runs one agent and reports on it."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("home", "work", "tmp", "requests"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    # A survey asks for every tool, though the answers that would teach the names may be refused.
    names = {"repo": sample.NAME, "path": sample.MODEL} if options.survey else {}
    script = Script({"answer_tokens": agent.answer_tokens, **names})
    model = ScriptedModel(script, folder / "requests")
    model.start()
    setting = Setting(
        home=folder / "home",
        folder=folder / "work",
        url=model.url,
        server=_server(options, data, folder / "wire.jsonl"),
        granted=not options.survey,
    )
    agent.prepare(setting)
    environment = {**_environment(agent, options, folder), **agent.environment(setting)}
    version = processes.run([agent.name, "--version"], environment, folder, 60).stdout.strip()
    ran = processes.run(agent.command(setting), environment, folder, options.seconds)
    model.stop()
    return _report(agent, version, script, model, wire.read(folder / "wire.jsonl"), ran)


def _server(options: argparse.Namespace, data: Path, log: Path) -> List[str]:
    """The server's command line. Some agents hand on no environment, so everything is said by flags."""
    serve = [str(options.repolab.resolve()), "serve", "--data", str(data), "--image", options.image]
    engine = ["--engine", options.engine] if options.engine else []
    return [sys.executable, str(RECORDER), str(log), *serve, *engine]


def _environment(agent: Agent, options: argparse.Namespace, folder: Path) -> Dict[str, str]:
    path = os.environ["PATH"]
    if options.installed:
        folders = [options.installed.resolve() / name / "node_modules" / ".bin" for name in (agent.name, "node")]
        path = ":".join([*map(str, folders), path])
    return {
        "PATH": path,
        "HOME": str(folder / "home"),
        "TMPDIR": str(folder / "tmp"),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "NO_COLOR": "1",
    }


def _report(
    agent: Agent, version: str, script: Script, model: ScriptedModel, session: wire.Wire, ran: processes.Ran
) -> Dict[str, Any]:
    arrived = checks.arrivals(script, session)
    forms = sorted({one.form for one in arrived if one.form in checks.WHOLE})
    return {
        "agent": agent.name,
        "version": version.splitlines()[-1] if version else "?",
        "client": sorted(set(session.clients)),
        "protocol": sorted(set(session.protocols)),
        "methods": session.methods,
        "listed": session.listed,
        "offered": {name: tool.called for name, tool in script.offered.items()},
        "other_tools": script.other_tools,
        "forms": forms,
        "answers": [vars(one) for one in arrived],
        "requests": model.requests,
        "unknown_addresses": sorted(set(model.unknown)),
        "seconds": round(ran.seconds, 1),
        "left_behind_and_ended": ran.left,
        "exit_code": ran.code,
        "stderr": ran.stderr[-2000:],
        "problems": checks.problems(script, session, ran),
    }


def _table(reports: List[Dict[str, Any]], options: argparse.Namespace) -> str:
    head = ["agent", "version", "protocol", "offered", "answered", "form", "seconds", "left behind"]
    rows = [head] + [_row(report) for report in reports]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    for report in reports:
        if options.survey:
            lines.append(f"{report['agent']}: {_called_without_asking(report)}")
        else:
            lines += [f"{report['agent']}: {problem}" for problem in report["problems"]]
    return "\n".join(lines)


def _called_without_asking(report: Dict[str, Any]) -> str:
    if not report["offered"]:
        return "offered no tool"
    called = {one["title"] for one in report["answers"] if one["form"] in checks.WHOLE}
    return ", ".join(f"{name} {'called' if name in called else 'refused'}" for name in report["listed"])


def _row(report: Dict[str, Any]) -> List[str]:
    answered = [one for one in report["answers"] if one["form"] in checks.WHOLE]
    return [
        report["agent"],
        report["version"],
        ",".join(report["protocol"]),
        f"{len(report['offered'])}/{len(report['listed'])}",
        f"{len(answered)}/{len(report['answers'])}",
        "+".join(report["forms"]),
        str(report["seconds"]),
        str(len(report["left_behind_and_ended"])),
    ]


if __name__ == "__main__":
    sys.exit(main())
