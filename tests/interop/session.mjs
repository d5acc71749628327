// Hold one session as an official TypeScript client: `node session.mjs PLAN`, a plan in JSON.
// Ends with status 0 when everything was as planned; says on stderr what was not.

import assert from "node:assert/strict";

const V1 = "@modelcontextprotocol/sdk";
const RESUMED = "Reconnection test completed.";

async function load(name) {
  if (name === V1) {
    const { Client } = await import(`${V1}/client/index.js`);
    const { StdioClientTransport } = await import(`${V1}/client/stdio.js`);
    const { StreamableHTTPClientTransport } = await import(`${V1}/client/streamableHttp.js`);
    return { Client, StdioClientTransport, StreamableHTTPClientTransport };
  }
  const { Client, StreamableHTTPClientTransport } = await import(name);
  const { StdioClientTransport } = await import(`${name}/stdio`);
  return { Client, StdioClientTransport, StreamableHTTPClientTransport };
}

function transportOf(plan, classes, seen) {
  const { command, url } = plan.server;
  const transport = url
    ? new classes.StreamableHTTPClientTransport(new URL(url), {
        fetch: (address, options) => {
          seen.resumed ||= new Headers(options?.headers).has("last-event-id");
          return fetch(address, options);
        },
      })
    : new classes.StdioClientTransport({
        command: command[0],
        args: command.slice(1),
        env: process.env,
        stderr: "ignore",
      });
  const tell = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (version) => {
    seen.version = version;
    tell?.(version);
  };
  return transport;
}

function optionsFor(mode) {
  const negotiation = { legacy: "legacy", auto: "auto" }[mode] ?? { pin: mode };
  return { versionNegotiation: { mode: negotiation } };
}

async function callAsPlanned(client, planned, isError) {
  const result = await client.callTool({ name: planned.tool, arguments: planned.arguments });
  assert.equal(result.isError ?? false, isError, `isError of ${planned.tool}`);
  const [{ text }] = result.content;
  assert.ok(text.startsWith(planned.text), `${planned.tool} said ${JSON.stringify(text)}`);
  for (const [key, value] of Object.entries(planned.structured ?? {})) {
    assert.deepEqual(result.structuredContent?.[key], value, `${key} of ${planned.tool}`);
  }
}

async function readAsPlanned(client, planned) {
  const { resources } = await client.listResources();
  const uris = resources.map((resource) => resource.uri);
  assert.ok(uris.includes(planned.uri), `${planned.uri} is not among ${uris}`);
  const { contents } = await client.readResource({ uri: planned.uri });
  assert.equal(contents[0].text, planned.text, `${planned.uri} holds ${contents[0].text}`);
}

async function main(plan) {
  const seen = { resumed: false, version: undefined };
  const classes = await load(plan.client);
  const client = new classes.Client({ name: "interop", version: "1" }, optionsFor(plan.mode));
  await client.connect(transportOf(plan, classes, seen));
  const version = client.getNegotiatedProtocolVersion?.() ?? seen.version;
  assert.equal(version, plan.version, `speaks ${version}`);
  assert.equal(client.getServerVersion()?.name, "benchpin", "the server has another name");

  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  assert.ok(names.includes(plan.works.tool), `${plan.works.tool} is not among ${names}`);
  await callAsPlanned(client, plan.works, false);
  await callAsPlanned(client, plan.fails, true);
  await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }), { code: -32602 });
  if (plan.resource) {
    await readAsPlanned(client, plan.resource);
  }
  if (plan.reconnects) {
    await callAsPlanned(client, { tool: plan.reconnects, arguments: {}, text: RESUMED }, false);
    assert.ok(seen.resumed || plan.mode !== "legacy", "the stream was not let go and resumed");
  }
  await client.close();
}

await main(JSON.parse(process.argv[2]));
