"""OpenAI's `/v1/chat/completions`: how a request reads and how a reply is written."""

from conversation import Answer, Call, Reply, Request, offer, strings_in

USAGE = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}


def read(body: dict) -> Request:
    request = Request(streams=bool(body.get("stream")))
    for tool in body.get("tools") or []:
        function = tool.get("function", {})
        offer(request, function.get("name", ""), function.get("parameters"))
    for message in body.get("messages", []):
        if message.get("role") == "tool":
            request.answers.append(Answer(message["tool_call_id"], None, strings_in(message.get("content"))))
    return request


def write(reply: Reply, model: str) -> dict:
    choice = {"index": 0, "message": _message(reply), "finish_reason": _finish_reason(reply)}
    return {**_head(model, "chat.completion"), "choices": [choice], "usage": USAGE}


def write_events(reply: Reply, model: str) -> list:
    head = _head(model, "chat.completion.chunk")
    end = {"index": 0, "delta": {}, "finish_reason": _finish_reason(reply)}
    return [
        {**head, "choices": [{"index": 0, "delta": _message(reply), "finish_reason": None}]},
        {**head, "choices": [end]},
        {**head, "choices": [], "usage": USAGE},
    ]


def _head(model: str, kind: str) -> dict:
    return {"id": "chatcmpl-scripted", "object": kind, "created": 1, "model": model}


def _message(reply: Reply) -> dict:
    if not isinstance(reply, Call):
        return {"role": "assistant", "content": reply.text}
    function = {"name": reply.tool.called, "arguments": reply.arguments_text}
    call = {"index": 0, "id": reply.call_id, "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _finish_reason(reply: Reply) -> str:
    return "tool_calls" if isinstance(reply, Call) else "stop"
