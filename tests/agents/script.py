"""The scripted model's mind: which tool it calls next, with arguments taken from earlier answers, and what it saw.

A step whose tool is not offered is left out, so that the same script serves servers with fewer tools; whether all tools
were offered is checked elsewhere.
"""

import re
import threading
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional

import sample
from conversation import SERVER, Call, OfferedTool, Reply, Request, Say

FIND_CALL = "call_find_tools"
FINAL_TEXT = "The script is done."
Memory = Dict[str, Any]


@dataclass
class Step:
    """One call: its arguments from what is known by now, and what its answer teaches."""

    tool: str
    arguments: Callable[[Memory], Dict[str, Any]]
    learn: Dict[str, str] = field(default_factory=dict)  # name in the memory -> pattern, its first group
    title: str = ""
    again_while: str = ""  # taken again as long as its answer teaches this

    @property
    def name(self) -> str:
        return f"{self.tool} ({self.title})" if self.title else self.tool


STEPS = [
    Step("list_repositories", lambda known: {}, {"repo": r'"name": ?"([\w-]+)"|(?m:^)([\w-]+) (?:@|\[)'}),
    Step(
        "search",
        lambda known: {"query": "LinearModel step", "repo": known["repo"]},
        {"path": r'"path": ?"([^"]+)"|1\. [\w-]+/([^:\s]+):'},
    ),
    Step("list_files", lambda known: {"repo": known["repo"]}),
    Step("outline", lambda known: {"repo": known["repo"], "path": known["path"]}),
    Step("find_references", lambda known: {"repo": known["repo"], "symbol": "LinearModel"}),
    Step("read_file", lambda known: {"repo": known["repo"], "path": known["path"]}),
    Step(
        "read_file",
        lambda known: {
            "repo": known["repo"],
            "path": sample.LONG,
            "start_line": known.get("next_line"),
            "max_tokens": known.get("answer_tokens"),
        },
        {"next_line": r'"next_line": ?(\d+)|start_line=(\d+)'},
        title="long file",
        again_while="next_line",
    ),
    Step("read_file", lambda known: {"repo": "sampel", "path": known["path"]}, title="wrong name"),
    Step(
        "write_file",
        lambda known: {"repo": known["repo"], "path": "notes.txt", "content": sample.NOTES},
        {"workspace": r'"workspace": ?"([\w-]+)"|workspace `?([\w-]{8,})'},
    ),
    Step(
        "run_in_sandbox",
        lambda known: {
            "repo": known["repo"],
            "workspace": known.get("workspace"),
            "command": ("cat notes.txt; " if "workspace" in known else "") + "sh train.sh --epochs 3",
        },
        {"workspace": r'"workspace": ?"([\w-]+)"|workspace `?([\w-]{8,})'},
    ),
    Step(
        "read_file",
        lambda known: {"repo": known["repo"], "path": "log.txt", "workspace": known["workspace"]},
        title="what the run wrote",
    ),
]


@dataclass
class Record:
    """A step that was taken: the call, and every text that came back to the model for it (None: nothing did)."""

    step: Step
    call: Call
    texts: Optional[List[str]] = None


class Script:
    """Replies to an agent's requests, one step after the other, and keeps the record."""

    def __init__(self, known: Memory) -> None:
        """`known` is what the model knows before its first call."""
        self.records: List[Record] = []
        self.offered: Dict[str, OfferedTool] = {}
        self.other_tools: List[str] = []
        self.problems: List[str] = []
        self.said_final_text = False
        self._known = dict(known)
        self._next = 0
        self._lock = threading.Lock()

    def reply(self, request: Request) -> Reply:
        """The model's reply; requests without our tools (titles, checks of the agent's own) get a plain text."""
        with self._lock:
            if not request.tools:
                return self._find_tools(request)
            self.offered.update({tool.name: tool for tool in request.tools})
            self.other_tools = request.other_tools or self.other_tools
            if self.records and self.records[-1].texts is None:
                self._take_answer(self.records[-1], request)
                if self.records[-1].texts is None:
                    return self.records[-1].call  # the agent asks again
            return self._next_reply()

    def _find_tools(self, request: Request) -> Reply:
        """Claude Code and Codex defer tools: the model has to find them by another tool before it can call them."""
        if request.finder is None or any(answer.call_id == FIND_CALL for answer in request.answers):
            return Say("Sample")
        limits = [name for name in ("limit", "max_results") if name in request.finder.schema.get("properties", {})]
        return Call(FIND_CALL, request.finder, {"query": SERVER, **{name: 20 for name in limits}})

    def _take_answer(self, record: Record, request: Request) -> None:
        for answer in reversed(request.answers):
            by_id = answer.call_id == record.call.call_id
            if by_id or (answer.call_id is None and answer.name == record.call.tool.called):
                record.texts = answer.texts
                self._learn(record)
                return

    def _learn(self, record: Record) -> None:
        for name, pattern in record.step.learn.items():
            if name == record.step.again_while:
                self._known.pop(name, None)
            for text in record.texts or []:
                found = re.search(pattern, text)
                if found:
                    value = next(group for group in found.groups() if group)
                    self._known[name] = int(value) if value.isdecimal() else value
                    break
        if record.step.again_while in self._known:
            self._next -= 1

    def _next_reply(self) -> Reply:
        while self._next < len(STEPS):
            step = STEPS[self._next]
            self._next += 1
            tool = self.offered.get(step.tool)
            if tool is None:
                continue
            try:
                arguments = step.arguments(self._known)
            except KeyError as missing:
                self.problems.append(f"{step.name}: no earlier answer held {missing}")
                continue
            arguments = {name: value for name, value in arguments.items() if value is not None}
            call = Call(f"call_{len(self.records) + 1}", tool, arguments)
            self.records.append(Record(step, call))
            return call
        self.said_final_text = True
        return Say(FINAL_TEXT)
