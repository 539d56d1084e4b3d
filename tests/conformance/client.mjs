// Connects with the official TypeScript client, lists the tools and calls one:
//   node client.mjs http URL NAME ARGUMENTS      node client.mjs stdio NAME ARGUMENTS COMMAND ...
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [kind, ...rest] = process.argv.slice(2);
let transport, name, args;
if (kind === "http") {
  [, name, args] = rest;
  transport = new StreamableHTTPClientTransport(new URL(rest[0]));
} else {
  let command;
  [name, args, ...command] = rest;
  transport = new StdioClientTransport({
    command: command[0],
    args: command.slice(1),
    env: process.env,
    stderr: "inherit",
  });
}
const client = new Client({ name: "portolan-tests", version: "1" });
await client.connect(transport);
const { tools } = await client.listTools();
const result = await client.callTool({ name, arguments: JSON.parse(args) });
console.log(
  JSON.stringify({
    server: client.getServerVersion(),
    capabilities: client.getServerCapabilities(),
    tools: tools.map((tool) => tool.name),
    result,
  }),
);
await client.close();
