"""What every Python client must find on a repolab server, whatever SDK brings the answers.

A client hands over answers in the shape of the wire (camelCase dictionaries), so that one set of checks fits every
line of the SDKs. `contract.json` says what is expected; what it calls planned may still be absent.
"""

import asyncio
import json
import os
import random
from pathlib import Path

CONTRACT = json.loads((Path(__file__).parent / "contract.json").read_text())


def target(arguments):
    """What to connect to: one address of HTTP with its headers, or the command of a server on stdio."""
    token = os.environ.get("REPOLAB_TEST_TOKEN")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return (arguments[0], headers) if arguments[0].startswith("http") else (arguments, None)


def wire(model):
    """The answer as it came over the wire."""
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


async def check(client, label):
    """Everything that holds for every client; `cancel` is left out by those that cannot cancel."""
    tools = await listed_tools(client)
    for tool in tools:
        await called(client, tool)
    await wrong_repository(client)
    if hasattr(client, "cancel"):
        await cancelled(client)
    capabilities = wire(client.capabilities)
    for name, checked in [("resources", resources), ("completions", completions), ("prompts", prompts)]:
        assert name in capabilities or planned(name), f"the server does not offer {name}"
        if name in capabilities:
            await checked(client)
    print(f"{label}: all {len(tools)} tools answered; capabilities {sorted(capabilities)}")


def planned(feature):
    return feature in CONTRACT["planned"]


async def listed_tools(client):
    tools = [wire(tool) for tool in await client.tools()]
    known = {tool["name"]: tool for tool in CONTRACT["tools"]}
    names = [tool["name"] for tool in tools]
    assert names == [name for name in known if name in names or not planned(name)], names
    for tool in tools:
        name, hints = tool["name"], tool["annotations"]
        assert tool["title"] and tool["description"], tool
        assert hints["readOnlyHint"] == known[name]["reads_only"], tool
        assert {"destructiveHint", "openWorldHint"} <= hints.keys(), tool
        assert tool["inputSchema"]["type"] == tool["outputSchema"]["type"] == "object", tool
    return [known[name] for name in names]


async def called(client, tool):
    name, expected, steps = tool["name"], tool["expected"], []

    async def on_progress(done, total=None, message=None):
        steps.append(done)

    result = wire(await client.call(name, tool["arguments"], on_progress))
    text = result["content"][0]["text"]
    assert not result.get("isError"), f"{name}: {text}"
    assert expected in text, f"{name}: {text}"
    assert expected in json.dumps(result["structuredContent"]), f"{name}: {result['structuredContent']}"
    assert steps == sorted(set(steps)), f"{name}: progress does not rise: {steps}"
    if name == "run_in_sandbox":
        structure = result["structuredContent"]
        assert structure["exit_code"] == 3 and "added log.txt" in structure["changed_files"], structure
        assert steps or planned("progress"), "no progress arrived"


async def wrong_repository(client):
    wrong = CONTRACT["wrong_repository"]
    result = wire(await client.call(wrong["name"], wrong["arguments"]))
    assert result["isError"] and wrong["expected"] in result["content"][0]["text"], result


async def cancelled(client):
    endless, mark = CONTRACT["endless"], str(random.randint(100_000, 999_999))
    command = endless["arguments"]["command"].format(seconds=mark)
    call = asyncio.create_task(client.call(endless["name"], endless["arguments"] | {"command": command}))
    await until(lambda: runs(mark) or call.done())
    assert not call.done(), f"the command ended: {call}"
    await client.cancel(call)
    await until(lambda: not runs(mark))
    await called(client, CONTRACT["tools"][0])


def runs(mark):
    """Whether a process of this machine, in a container or not, carries the mark in its arguments."""
    for arguments in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark.encode() in arguments.read_bytes():
                return True
        except OSError:
            continue
    return False


async def until(holds):
    for _ in range(600):
        if holds():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it did not come about within 30 s")


async def resources(client):
    resource = CONTRACT["resource"]
    templates = [wire(template)["uriTemplate"] for template in await client.templates()]
    assert resource["template"] in templates, templates
    contents = [wire(content) for content in await client.read(resource["uri"])]
    assert resource["expected"] in contents[0]["text"], contents


async def completions(client):
    for completion in CONTRACT["completions"]:
        answer = wire(await client.complete(completion["ref"], completion["argument"], completion["known"]))
        assert completion["expected"] in answer["values"], answer


async def prompts(client):
    offered = [wire(prompt) for prompt in await client.prompts()]
    names = [prompt["name"] for prompt in offered]
    assert sorted(names) == sorted(CONTRACT["prompts"]["names"]), names
    values = CONTRACT["prompts"]["arguments"]
    for prompt in offered:
        taken = prompt.get("arguments", [])
        unknown = [one["name"] for one in taken if one.get("required") and one["name"] not in values]
        assert not unknown, f"contract.json has no value for {unknown} of {prompt['name']}"
        given = {one["name"]: values[one["name"]] for one in taken if one["name"] in values}
        messages = wire(await client.prompt(prompt["name"], given))["messages"]
        assert messages and all(message["content"].get("text") for message in messages), messages
