// The official TypeScript SDK, 1.x, which most hosts of today are built on.
//
// usage: typescript_sdk.mjs URL | typescript_sdk.mjs SERVER_PROGRAM [ARGUMENT]...
//
// REPOLAB_TEST_CLIENTS is the folder of the packages, REPOLAB_TEST_TOKEN the server's bearer token over HTTP.

import { check, load, transport } from "./checks.mjs";

const { Client } = load("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = load("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = load("@modelcontextprotocol/sdk/client/streamableHttp.js");

const client = new Client({ name: "repolab-tests", version: "1" });
await client.connect(transport(StdioClientTransport, StreamableHTTPClientTransport));
const call = (name, given, options) => client.callTool({ name, arguments: given }, undefined, options);
await check(client, call, "TypeScript SDK 1");
await client.close();
