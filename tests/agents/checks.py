"""What must hold after an agent's run. The server's own answers, taken from the wire, are the measure of "whole"."""

import json
import re
from dataclasses import dataclass
from typing import Any, Iterator, List, Optional

import sample
from processes import Ran
from script import STEPS, Record, Script
from wire import Wire, WireCall

WHOLE = ("content", "structured", "both")


@dataclass
class Arrival:
    """How the answer to one call reached the model."""

    title: str
    form: str  # content, structured, both; or cut, refused, unanswered
    characters: int
    seconds: float


def arrivals(script: Script, wire: Wire) -> List[Arrival]:
    """Pairs each call of the model with the call on the wire, in order."""
    waiting = list(wire.calls)
    found = []
    for record in script.records:
        call = _counterpart(record, waiting)
        characters = max(map(len, record.texts or [""]))
        found.append(Arrival(record.step.name, form(record, call), characters, call.seconds if call else 0.0))
    return found


def form(record: Record, call: Optional[WireCall]) -> str:
    """Which of the server's two forms reached the model whole."""
    if record.texts is None:
        return "unanswered"
    if call is None or call.result is None:
        return "refused"
    content = "\n".join(block.get("text", "") for block in call.result["content"]).strip()
    # Gemini CLI hands on a failure as JSON within JSON.
    spellings = [content, json.dumps(content)[1:-1], json.dumps(content, ensure_ascii=False)[1:-1]]
    has_content = any(spelling in text for text in record.texts for spelling in spellings)
    structure = call.result.get("structuredContent")
    has_structure = structure is not None and any(
        structure == value for text in record.texts for value in _objects_in(text)
    )
    if has_content and has_structure:
        return "both"
    return "content" if has_content else "structured" if has_structure else "cut"


def problems(script: Script, wire: Wire, ran: Ran) -> List[str]:
    """Everything that does not hold, as sentences."""
    found = list(script.problems) + wire.errors
    hidden = [name for name in wire.listed if name not in script.offered]
    found += [f"{name} is listed by the server but was not offered" for name in hidden]
    if not wire.listed:
        found.append("the server was never asked for its tools")
    made = [record.step for record in script.records]
    found += [f"{step.name} was not called" for step in STEPS if step.tool in wire.listed and step not in made]
    found += [f"{one.title} came back {one.form}" for one in arrivals(script, wire) if one.form not in WHOLE]
    found += [f"the model never saw {what}" for what in _unseen(script)]
    if not script.said_final_text:
        found.append("the agent never heard the final text")
    return found + list(_problems_of_the_process(ran))


def _problems_of_the_process(ran: Ran) -> Iterator[str]:
    if ran.timed_out:
        yield "it did not end in time"
    elif ran.code != 0:
        yield f"it ended with exit code {ran.code}"
    for line in ran.stderr.splitlines():
        if re.search(r"unknown format|schema|MCP issues|\brepolab\b.*(fail|error|warn)", line, re.IGNORECASE):
            yield f"standard error says: {line.strip()[:300]}"
    for command in ran.left:
        if "repolab" in command.split(" --")[0] and "serve" in command.split():
            yield f"a server was left running: {command}"


def _unseen(script: Script) -> Iterator[str]:
    """The facts of the sample that the model must have seen, whatever the server and the agent made of them."""
    texts = [text for record in script.records for text in record.texts or []]
    seen = "\n".join(texts + [inner for text in texts for inner in _strings(text)])
    facts = [sample.NAME, sample.MODEL, "did you mean `sample`"]
    if "write_file" in script.offered:
        facts.append(sample.NOTES.strip())
    if "run_in_sandbox" in script.offered:
        facts += ["epochs 3", "∇ exploded"]
        if not re.search(r'[Ee]xit code 3|"exit_code": ?3\b', seen):
            yield "the exit code"
    yield from (repr(fact) for fact in facts if fact not in seen)
    lost = [line for line in sample.MODEL_TEXT.splitlines() + sample.long_lines() if line not in seen]
    if lost:
        yield f"{len(lost)} lines of the files, among them {lost[0]!r}"


def _counterpart(record: Record, waiting: List[WireCall]) -> Optional[WireCall]:
    for call in waiting:
        if call.tool == record.step.tool and call.arguments == record.call.arguments:
            waiting.remove(call)
            return call
    return None


def _objects_in(text: str) -> Iterator[Any]:
    """Every JSON object that starts a text or a line of it."""
    for start in re.finditer(r"(?m)^\s*(?=\{)|(?<=[:\s])(?=\{)", text):
        try:
            yield json.JSONDecoder().raw_decode(text, start.end())[0]
        except ValueError:
            continue


def _strings(text: str) -> Iterator[str]:
    for value in _objects_in(text):
        yield from (inner for inner in value.values() if isinstance(inner, str))
