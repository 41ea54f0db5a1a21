"""Reads what `wire_recorder.py` wrote: who the client said it was, and each tool call with the server's own answer."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Optional


@dataclass
class WireCall:
    """One `tools/call` as it went over the wire; `result` is None when the server did not answer it."""

    tool: str
    arguments: Dict[str, Any]
    result: Optional[Dict[str, Any]] = None
    seconds: float = 0.0


@dataclass
class Wire:
    """One session, or several when the agent started the server more than once."""

    clients: List[str] = field(default_factory=list)
    protocols: List[str] = field(default_factory=list)
    methods: List[str] = field(default_factory=list)
    listed: List[str] = field(default_factory=list)
    calls: List[WireCall] = field(default_factory=list)
    errors: List[str] = field(default_factory=list)


def read(path: Path) -> Wire:
    wire = Wire()
    asked: Dict[Any, dict] = {}
    pending: Dict[Any, WireCall] = {}
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    for entry in map(json.loads, lines):
        message = json.loads(entry["line"]) if entry["line"] else {}
        identity = message.get("id")
        if entry["from"] == "agent":
            asked[identity] = {"method": message.get("method"), "at": entry["at"]}
            _take_question(wire, message, pending)
        elif "error" in message:
            wire.errors.append(f"{asked.get(identity, {}).get('method')}: {message['error'].get('message')}")
        elif "result" in message:
            _take_result(wire, message["result"], asked.get(identity, {}))
            if identity in pending:
                call = pending.pop(identity)
                call.result, call.seconds = message["result"], entry["at"] - asked[identity]["at"]
    return wire


def _take_question(wire: Wire, message: dict, pending: Dict[Any, WireCall]) -> None:
    method, parameters = message.get("method"), message.get("params") or {}
    if method and method not in wire.methods:
        wire.methods.append(method)
    about = parameters if method == "initialize" else _modern(parameters)
    if "protocolVersion" in about and about["protocolVersion"] not in wire.protocols:
        client = about.get("clientInfo", {})
        wire.clients.append(f"{client.get('name')} {client.get('version')}")
        wire.protocols.append(about["protocolVersion"])
    if method == "tools/call":
        call = WireCall(parameters.get("name", ""), parameters.get("arguments") or {})
        pending[message["id"]] = call
        wire.calls.append(call)


def _modern(parameters: dict) -> dict:
    """What a request of the later protocol says about its client; it has no `initialize`."""
    prefix = "io.modelcontextprotocol/"
    meta = parameters.get("_meta") or {}
    return {key[len(prefix) :]: value for key, value in meta.items() if key.startswith(prefix)}


def _take_result(wire: Wire, result: dict, question: dict) -> None:
    if question.get("method") == "tools/list":
        names = [tool["name"] for tool in result["tools"]]
        wire.listed += [name for name in names if name not in wire.listed]
