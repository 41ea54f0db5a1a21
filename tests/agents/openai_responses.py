"""OpenAI's `/v1/responses`: how a request reads and how a reply is written."""

from conversation import Answer, Call, Reply, Request, offer, strings_in

USAGE = {
    "input_tokens": 10,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 10,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 20,
}


def read(body: dict) -> Request:
    request = Request(streams=bool(body.get("stream")))
    items = body.get("input", [])
    items = items if isinstance(items, list) else []
    found = [tool for item in items if item.get("type") == "tool_search_output" for tool in item.get("tools", [])]
    for tool in (body.get("tools") or []) + found:
        if "tools" in tool:  # a group: Codex hands out each MCP server as one
            for inner in tool["tools"]:
                offer(request, inner.get("name", ""), inner.get("parameters"), tool.get("name", ""))
        else:
            offer(request, tool.get("name") or tool.get("type", ""), tool.get("parameters"))
    for item in items:
        if item.get("type") in ("function_call_output", "tool_search_output"):
            request.answers.append(Answer(item["call_id"], None, strings_in(item.get("output"))))
    return request


def write(reply: Reply, model: str) -> dict:
    return {
        "id": "resp_scripted",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": model,
        "output": [_item(reply)],
        "usage": USAGE,
    }


def write_events(reply: Reply, model: str) -> list:
    whole = write(reply, model)
    item = whole["output"][0]
    return [
        {"type": "response.created", "response": dict(whole, status="in_progress", output=[], usage=None)},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]


def _item(reply: Reply) -> dict:
    if not isinstance(reply, Call):
        text = {"type": "output_text", "text": reply.text, "annotations": []}
        return {"type": "message", "id": "msg_scripted", "role": "assistant", "content": [text]}
    if reply.tool.called == "tool_search":
        return {
            "type": "tool_search_call",
            "call_id": reply.call_id,
            "execution": "client",
            "status": "completed",
            "arguments": reply.arguments,
        }
    item = {
        "type": "function_call",
        "id": "fc_" + reply.call_id,
        "call_id": reply.call_id,
        "name": reply.tool.called,
        "arguments": reply.arguments_text,
    }
    if reply.tool.group is not None:
        item["namespace"] = reply.tool.group
    return item
