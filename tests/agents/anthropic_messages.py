"""Anthropic's `/v1/messages`: how a request reads and how a reply is written."""

from conversation import Answer, Call, Reply, Request, offer, strings_in

USAGE = {"input_tokens": 10, "output_tokens": 10}


def read(body: dict) -> Request:
    request = Request(streams=bool(body.get("stream")))
    for tool in body.get("tools", []):
        offer(request, tool.get("name", ""), tool.get("input_schema"))
    for message in body.get("messages", []):
        blocks = message["content"] if isinstance(message["content"], list) else []
        for block in blocks:
            if block.get("type") == "tool_result":
                request.answers.append(Answer(block["tool_use_id"], None, strings_in(block.get("content"))))
    return request


def write(reply: Reply, model: str) -> dict:
    return {
        "id": "msg_scripted",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [_block(reply)],
        "stop_reason": _stop_reason(reply),
        "stop_sequence": None,
        "usage": USAGE,
    }


def write_events(reply: Reply, model: str) -> list:
    whole = write(reply, model)
    start = dict(whole, content=[], stop_reason=None)
    if isinstance(reply, Call):
        empty = dict(whole["content"][0], input={})
        delta = {"type": "input_json_delta", "partial_json": reply.arguments_text}
    else:
        empty = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": reply.text}
    return [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": _stop_reason(reply), "stop_sequence": None},
            "usage": USAGE,
        },
        {"type": "message_stop"},
    ]


def _block(reply: Reply) -> dict:
    if isinstance(reply, Call):
        return {"type": "tool_use", "id": reply.call_id, "name": reply.tool.called, "input": reply.arguments}
    return {"type": "text", "text": reply.text}


def _stop_reason(reply: Reply) -> str:
    return "tool_use" if isinstance(reply, Call) else "end_turn"
