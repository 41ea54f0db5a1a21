"""The client of FastMCP, which turns structured answers into objects by the tool's output schema.

usage: fastmcp_client.py URL | fastmcp_client.py SERVER_PROGRAM [ARGUMENT]...

The server must serve the repository `sample` of the tests; REPOLAB_TEST_TOKEN is its bearer token over HTTP.
"""

import asyncio
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from mcp_types import PromptReference, ResourceTemplateReference

import checks

REFERENCES = {"ref/prompt": PromptReference, "ref/resource": ResourceTemplateReference}


class Session:
    def __init__(self, client):
        self.client, self.capabilities = client, client.server_capabilities

    async def tools(self):
        return await self.client.list_tools()

    async def call(self, name, arguments, progress=None):
        result = await self.client.call_tool_mcp(name, arguments, progress_handler=progress)
        if progress:
            typed = await self.client.call_tool(name, arguments)
            assert typed.data is not None, f"{name}: FastMCP could not read the answer by its schema"
        return result

    async def cancel(self, call):
        call.cancel()
        await asyncio.wait([call])

    async def templates(self):
        return await self.client.list_resource_templates()

    async def read(self, uri):
        return await self.client.read_resource(uri)

    async def complete(self, reference, argument, known):
        reference = REFERENCES[reference["type"]].model_validate(reference)
        return await self.client.complete(reference, argument, known)

    async def prompts(self):
        return await self.client.list_prompts()

    async def prompt(self, name, arguments):
        return await self.client.get_prompt(name, arguments)


def transport():
    place, headers = checks.target(sys.argv[1:])
    if headers is None:
        return StdioTransport(place[0], place[1:], keep_alive=False)
    return StreamableHttpTransport(place, headers=headers)


async def main():
    for mode in ["legacy", "auto"]:
        async with Client(transport(), mode=mode) as client:
            await checks.check(Session(client), f"FastMCP, {mode}")


asyncio.run(main())
