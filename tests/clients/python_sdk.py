"""The official Python SDK, 2.x, in both eras of the protocol.

usage: python_sdk.py URL | python_sdk.py SERVER_PROGRAM [ARGUMENT]...

The server must serve the repository `sample` of the tests; REPOLAB_TEST_TOKEN is its bearer token over HTTP.
"""

import asyncio
import sys

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import PromptReference, ResourceTemplateReference

import checks

REFERENCES = {"ref/prompt": PromptReference, "ref/resource": ResourceTemplateReference}


class Session:
    def __init__(self, client):
        self.client, self.capabilities = client, client.server_capabilities

    async def tools(self):
        return (await self.client.list_tools()).tools

    async def call(self, name, arguments, progress=None):
        return await self.client.call_tool(name, arguments, progress_callback=progress)

    async def cancel(self, call):
        call.cancel()
        await asyncio.wait([call])

    async def templates(self):
        return (await self.client.list_resource_templates()).resource_templates

    async def read(self, uri):
        return (await self.client.read_resource(uri)).contents

    async def complete(self, reference, argument, known):
        reference = REFERENCES[reference["type"]].model_validate(reference)
        return (await self.client.complete(reference, argument, context_arguments=known)).completion

    async def prompts(self):
        return (await self.client.list_prompts()).prompts

    async def prompt(self, name, arguments):
        return await self.client.get_prompt(name, arguments)


def server():
    place, headers = checks.target(sys.argv[1:])
    if headers is None:
        return StdioServerParameters(command=place[0], args=place[1:])
    return streamable_http_client(place, http_client=httpx2.AsyncClient(headers=headers, timeout=60))


async def main():
    for mode, version in [("legacy", "2025-11-25"), ("auto", "2026-07-28")]:
        async with Client(server(), mode=mode) as client:
            assert client.protocol_version == version, client.protocol_version
            await checks.check(Session(client), f"Python SDK 2, {version}")


asyncio.run(main())
