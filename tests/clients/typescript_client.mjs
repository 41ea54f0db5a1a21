// The official TypeScript client, 2.x, in both eras of the protocol.
//
// usage: typescript_client.mjs URL | typescript_client.mjs SERVER_PROGRAM [ARGUMENT]...
//
// REPOLAB_TEST_CLIENTS is the folder of the packages, REPOLAB_TEST_TOKEN the server's bearer token over HTTP.

import assert from "node:assert/strict";
import { check, load, transport } from "./checks.mjs";

const { Client, StreamableHTTPClientTransport } = load("@modelcontextprotocol/client");
const { StdioClientTransport } = load("@modelcontextprotocol/client/stdio");

for (const [mode, version] of [["legacy", "2025-11-25"], ["auto", "2026-07-28"]]) {
  const client = new Client({ name: "repolab-tests", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transport(StdioClientTransport, StreamableHTTPClientTransport));
  assert.equal(client.getNegotiatedProtocolVersion(), version);
  const call = (name, given, options) => client.callTool({ name, arguments: given }, options);
  await check(client, call, `TypeScript client 2, ${version}`);
  await client.close();
}
