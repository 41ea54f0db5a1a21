"""Lists and calls every tool of a repolab server with the official Python SDK.

usage: python_sdk.py SERVER_PROGRAM

The environment decides what the server serves; it must hold a repository named `sample`.
"""

import asyncio
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

CALLS = [
    ("list_repositories", {}, "sample"),
    ("list_files", {"repo": "sample", "path_glob": "*.py"}, "model.py"),
    ("search", {"query": "LinearModel step"}, "model.py"),
    ("read_file", {"repo": "sample", "path": "model.py"}, "class LinearModel"),
    ("write_file", {"repo": "sample", "path": "new.py", "content": "a = 1\n"}, "created"),
    ("run_in_sandbox", {"repo": "sample", "command": "sh train.sh --epochs 3"}, "epochs 3"),
]


def either(thing, *names):
    """The attribute under its name in the 2.x or the 1.x line of the SDK."""
    return next(getattr(thing, name) for name in names if hasattr(thing, name))


async def main():
    server = StdioServerParameters(command=sys.argv[1], args=["serve"], env=dict(os.environ))
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = {tool.name for tool in (await session.list_tools()).tools}
        assert tools == {name for name, _, _ in CALLS}, tools
        for name, arguments, expected in CALLS:
            result = await session.call_tool(name, arguments)
            text = result.content[0].text
            assert not either(result, "is_error", "isError"), f"{name}: {text}"
            structure = either(result, "structured_content", "structuredContent")
            assert expected in text, f"{name}: {text}"
            assert expected in str(structure), f"{name}: {structure}"
        assert structure["exit_code"] == 3 and "added log.txt" in structure["changed_files"], structure
        wrong = await session.call_tool("read_file", {"repo": "sampel", "path": "model.py"})
        assert either(wrong, "is_error", "isError") and "sample" in wrong.content[0].text, wrong
    print("every tool answered")


asyncio.run(main())
