"""A model endpoint on loopback that speaks the interfaces of Anthropic, OpenAI and Google, and whose model is a script.

It needs no network and no account: an agent is pointed at it by its base address.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, List, Optional

import anthropic_messages
import gemini_content
import openai_chat
import openai_responses
from script import Script

MODEL = "scripted-model"
INTERFACES = {
    "/messages": anthropic_messages,
    "/responses": openai_responses,
    "/chat/completions": openai_chat,
    ":generateContent": gemini_content,
    ":streamGenerateContent": gemini_content,
}


class ScriptedModel:
    """The endpoint, serving from `start` to `stop`; `log` is a folder for every request's body."""

    def __init__(self, script: Script, log: Optional[Path] = None) -> None:
        self.unknown: List[str] = []
        self.requests = 0
        handler = type("Handler", (_Handler,), {"script": script, "endpoint": self, "log": log})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def start(self) -> None:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _tokens(body: dict) -> int:
    """A cautious count: agents cut long answers by it."""
    return len(json.dumps(body, ensure_ascii=False).encode()) // 3


def _event(event: dict) -> str:
    """An event of a stream; the interfaces whose events have a type repeat it as the event's name."""
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script: Script
    endpoint: ScriptedModel
    log: Optional[Path]

    def do_HEAD(self) -> None:
        self._send("application/json", b"")

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        if path.endswith("/models"):
            self._send_json({"object": "list", "data": [{"id": MODEL, "object": "model"}], "models": []})
        else:
            self._not_found()

    def do_POST(self) -> None:
        body = self._body()
        path = self.path.split("?")[0]
        interface = next((found for ending, found in INTERFACES.items() if path.endswith(ending)), None)
        if interface is not None:
            self._answer(interface, path, body)
        elif path.endswith("/count_tokens"):
            self._send_json({"input_tokens": _tokens(body)})
        elif path.endswith(":countTokens"):
            self._send_json({"totalTokens": _tokens(body)})
        else:
            self._not_found()

    def _answer(self, interface: Any, path: str, body: dict) -> None:
        request = interface.read(body)
        reply = self.script.reply(request)
        model = body.get("model", MODEL)
        if not (request.streams or path.endswith(":streamGenerateContent")):
            self._send_json(interface.write(reply, model))
            return
        events = interface.write_events(reply, model)
        lines = [_event(event) for event in events]
        end = "data: [DONE]\n\n" * (interface is openai_chat)
        self._send("text/event-stream", ("".join(lines) + end).encode())

    def _body(self) -> dict:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            data = b"".join(iter(self._chunk, b""))
        else:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.endpoint.requests += 1
        if self.log is not None:
            (self.log / f"request-{self.endpoint.requests:03}.json").write_bytes(data)
        return json.loads(data or b"{}")

    def _chunk(self) -> bytes:
        size = int(self.rfile.readline().split(b";")[0], 16)
        data = self.rfile.read(size)
        self.rfile.readline()
        return data

    def _not_found(self) -> None:
        self.endpoint.unknown.append(f"{self.command} {self.path}")
        self._send_json({"error": {"message": "this endpoint has no such address"}}, 404)

    def _send_json(self, value: Any, status: int = 200) -> None:
        self._send("application/json", json.dumps(value).encode(), status)

    def _send(self, kind: str, data: bytes, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Nothing: the report says what happened."""
