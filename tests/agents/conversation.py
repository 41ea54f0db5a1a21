"""What the model interfaces have in common: tools an agent offers, answers it brings back, the model's reply."""

import json
import re
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Union

SERVER = "repolab"


@dataclass
class OfferedTool:
    """One tool of our server, as an agent offered it to the model."""

    name: str  # as our server calls it
    called: str  # as the model has to call it
    group: Optional[str]  # the group that holds it, where the agent has groups
    schema: Dict[str, Any]


@dataclass
class Answer:
    """What an agent brings back for one call; `name` serves where the interface has no call ids."""

    call_id: Optional[str]
    name: Optional[str]
    texts: List[str]


@dataclass
class Request:
    """One request of an agent, whatever its interface."""

    tools: List[OfferedTool] = field(default_factory=list)
    other_tools: List[str] = field(default_factory=list)
    finder: Optional[OfferedTool] = None  # the agent's tool that fetches deferred tools
    answers: List[Answer] = field(default_factory=list)
    streams: bool = False


@dataclass
class Call:
    """The model wants a tool."""

    call_id: str
    tool: OfferedTool
    arguments: Dict[str, Any]

    @property
    def arguments_text(self) -> str:
        return json.dumps(self.arguments, ensure_ascii=False)


@dataclass
class Say:
    """The model is done."""

    text: str


Reply = Union[Call, Say]


def offer(request: Request, called: str, schema: Optional[Dict[str, Any]], group: Optional[str] = None) -> None:
    """Adds an offered tool to the request, as ours or as another's.

    Agents mangle names: mcp__repolab__search, mcp_repolab_search, repolab__search, repolab_search, or a group
    `mcp__repolab` that holds `search`.
    """
    if group is not None and SERVER in group:
        request.tools.append(OfferedTool(called, called, group, schema or {}))
        return
    ours = re.search(SERVER + r"[_./-]+([a-z][a-z_]*)$", called)
    if ours:
        request.tools.append(OfferedTool(ours.group(1), called, group, schema or {}))
        return
    request.other_tools.append(called)
    if called in ("ToolSearch", "tool_search"):
        request.finder = OfferedTool(called, called, group, schema or {})


def strings_in(value: Any) -> List[str]:
    """Every text in a JSON value, in order; a text that is itself a JSON list or object is also opened."""
    if isinstance(value, str):
        opened = parsed(value) if value[:1] in ("[", "{") else None
        return [value] + (strings_in(opened) if isinstance(opened, (list, dict)) else [])
    if isinstance(value, dict):
        return [text for inner in value.values() for text in strings_in(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in strings_in(inner)]
    return []


def parsed(text: str) -> Any:
    """The JSON value of a text, or None."""
    try:
        return json.loads(text)
    except ValueError:
        return None
