// What every TypeScript client must find on a repolab server; the twin of checks.py, over the same contract.json.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const CONTRACT = JSON.parse(readFileSync(new URL("contract.json", import.meta.url), "utf8"));

/** Loads a package of the folder that .ci/test-clients filled, which is not beside the scripts. */
export const load = createRequire(join(process.env.REPOLAB_TEST_CLIENTS, "package.json"));

/** A transport to the server that the command line names: one address of HTTP, or a command on stdio. */
export function transport(Stdio, Http) {
  const [first, ...rest] = process.argv.slice(2);
  if (!first.startsWith("http")) return new Stdio({ command: first, args: rest });
  const token = process.env.REPOLAB_TEST_TOKEN;
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  return new Http(new URL(first), { requestInit: { headers } });
}

/** Everything that holds for every client. `call(name, arguments, options)` hides how an SDK passes options. */
export async function check(client, call, label) {
  const tools = await listedTools(client);
  for (const tool of tools) await called(call, tool);
  await wrongRepository(call);
  await cancelled(call);
  const capabilities = client.getServerCapabilities();
  for (const [name, checked] of Object.entries({ resources, completions, prompts })) {
    assert(name in capabilities || planned(name), `the server does not offer ${name}`);
    if (name in capabilities) await checked(client);
  }
  console.log(`${label}: all ${tools.length} tools answered; capabilities ${Object.keys(capabilities)}`);
}

const planned = (feature) => CONTRACT.planned?.includes(feature) ?? false;

async function listedTools(client) {
  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  const known = CONTRACT.tools.filter((tool) => names.includes(tool.name) || !planned(tool.name));
  assert.deepEqual(names, known.map((tool) => tool.name));
  tools.forEach((tool, index) => {
    assert(tool.title && tool.description, tool.name);
    assert.equal(tool.annotations.readOnlyHint, known[index].reads_only, tool.name);
    assert("destructiveHint" in tool.annotations && "openWorldHint" in tool.annotations, tool.name);
    assert.equal(tool.inputSchema.type, "object");
    assert.equal(tool.outputSchema.type, "object");
  });
  return known;
}

async function called(call, { name, arguments: given, expected }) {
  const steps = [];
  const result = await call(name, given, { onprogress: (step) => steps.push(step.progress) });
  const text = result.content[0].text;
  assert(!result.isError, `${name}: ${text}`);
  assert(text.includes(expected), `${name}: ${text}`);
  assert(JSON.stringify(result.structuredContent).includes(expected), `${name}: no ${expected} in its structure`);
  assert(steps.every((step, index) => index === 0 || step > steps[index - 1]), `${name}: progress ${steps}`);
  if (name === "run_in_sandbox") {
    assert.equal(result.structuredContent.exit_code, 3);
    assert(result.structuredContent.changed_files.includes("added log.txt"));
    assert(steps.length > 0 || planned("progress"), "no progress arrived");
  }
}

async function wrongRepository(call) {
  const { name, arguments: given, expected } = CONTRACT.wrong_repository;
  const result = await call(name, given);
  assert(result.isError && result.content[0].text.includes(expected), JSON.stringify(result));
}

async function cancelled(call) {
  const { name, arguments: given } = CONTRACT.endless;
  const mark = String(100_000 + Math.floor(Math.random() * 900_000));
  const command = given.command.replace("{seconds}", mark);
  const controller = new AbortController();
  let ended = false;
  const running = call(name, { ...given, command }, { signal: controller.signal });
  const refused = assert.rejects(running).finally(() => (ended = true));
  await until(() => runs(mark) || ended);
  assert(!ended, "the command ended");
  controller.abort();
  await refused;
  await until(() => !runs(mark));
  await called(call, CONTRACT.tools[0]);
}

/** Whether a process of this machine, in a container or not, carries the mark in its arguments. */
function runs(mark) {
  return readdirSync("/proc").some((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    try {
      return readFileSync(`/proc/${entry}/cmdline`, "utf8").includes(mark);
    } catch {
      return false;
    }
  });
}

async function until(holds) {
  for (let turn = 0; turn < 600; turn++) {
    if (holds()) return;
    await pause(50);
  }
  assert.fail("it did not come about within 30 s");
}

async function resources(client) {
  const { template, uri, expected } = CONTRACT.resource;
  const { resourceTemplates } = await client.listResourceTemplates();
  assert(resourceTemplates.some((one) => one.uriTemplate === template), JSON.stringify(resourceTemplates));
  const { contents } = await client.readResource({ uri });
  assert(contents[0].text.includes(expected), JSON.stringify(contents));
}

async function completions(client) {
  for (const { ref, argument, known, expected } of CONTRACT.completions) {
    const { completion } = await client.complete({ ref, argument, context: { arguments: known } });
    assert(completion.values.includes(expected), JSON.stringify(completion));
  }
}

async function prompts(client) {
  const { names, arguments: values } = CONTRACT.prompts;
  const offered = (await client.listPrompts()).prompts;
  assert.deepEqual(offered.map((prompt) => prompt.name).sort(), [...names].sort());
  for (const { name, arguments: taken = [] } of offered) {
    const unknown = taken.filter((one) => one.required && !(one.name in values)).map((one) => one.name);
    assert.deepEqual(unknown, [], `contract.json has no value for what ${name} takes`);
    const known = taken.filter((one) => one.name in values);
    const given = Object.fromEntries(known.map((one) => [one.name, values[one.name]]));
    const { messages } = await client.getPrompt({ name, arguments: given });
    assert(messages.length > 0 && messages.every((message) => message.content.text), JSON.stringify(messages));
  }
}
