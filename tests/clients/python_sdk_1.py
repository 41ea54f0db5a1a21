"""The official Python SDK, 1.x, which many hosts still build on.

usage: python_sdk_1.py URL | python_sdk_1.py SERVER_PROGRAM [ARGUMENT]...

The server must serve the repository `sample` of the tests; REPOLAB_TEST_TOKEN is its bearer token over HTTP.
"""

import asyncio
import sys
from contextlib import asynccontextmanager

import httpx
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import PromptReference, ResourceTemplateReference

import checks

REFERENCES = {"ref/prompt": PromptReference, "ref/resource": ResourceTemplateReference}


class Session:
    """This line sends no cancellation, so there is no `cancel`."""

    def __init__(self, session, capabilities):
        self.session, self.capabilities = session, capabilities

    async def tools(self):
        return (await self.session.list_tools()).tools

    async def call(self, name, arguments, progress=None):
        return await self.session.call_tool(name, arguments, progress_callback=progress)

    async def templates(self):
        return (await self.session.list_resource_templates()).resourceTemplates

    async def read(self, uri):
        return (await self.session.read_resource(uri)).contents

    async def complete(self, reference, argument, known):
        reference = REFERENCES[reference["type"]].model_validate(reference)
        return (await self.session.complete(reference, argument, context_arguments=known)).completion

    async def prompts(self):
        return (await self.session.list_prompts()).prompts

    async def prompt(self, name, arguments):
        return await self.session.get_prompt(name, arguments)


@asynccontextmanager
async def streams():
    place, headers = checks.target(sys.argv[1:])
    if headers is None:
        async with stdio_client(StdioServerParameters(command=place[0], args=place[1:])) as pair:
            yield pair
    else:
        async with (
            httpx.AsyncClient(headers=headers, timeout=60) as http,
            streamable_http_client(place, http_client=http) as (read, write, _),
        ):
            yield read, write


async def main():
    async with streams() as (read, write), ClientSession(read, write) as session:
        capabilities = (await session.initialize()).capabilities
        await checks.check(Session(session, capabilities), "Python SDK 1")


asyncio.run(main())
