"""Gemini's `generateContent` and `streamGenerateContent`: how a request reads and how a reply is written."""

from conversation import Answer, Call, Reply, Request, offer, strings_in

USAGE = {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}


def read(body: dict) -> Request:
    request = Request()  # the address says whether it streams
    for group in body.get("tools") or []:
        for tool in group.get("functionDeclarations", []):
            schema = tool.get("parametersJsonSchema") or tool.get("parameters")
            offer(request, tool.get("name", ""), schema)
    for content in body.get("contents", []):
        for part in content.get("parts", []):
            given = part.get("functionResponse")
            if given:
                answer = Answer(given.get("id"), given.get("name"), strings_in(given.get("response")))
                request.answers.append(answer)
    return request


def write(reply: Reply, model: str) -> dict:
    if isinstance(reply, Call):
        call = {"id": reply.call_id, "name": reply.tool.called, "args": reply.arguments}
        part = {"functionCall": call}
    else:
        part = {"text": reply.text}
    candidate = {"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
    return {"candidates": [candidate], "usageMetadata": USAGE, "modelVersion": model}


def write_events(reply: Reply, model: str) -> list:
    return [write(reply, model)]
