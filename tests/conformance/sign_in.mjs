// Signs in with the official TypeScript client, then lists the tools and calls one:
//   node sign_in.mjs URL NAME ARGUMENTS [by-hand]
// Prints a line of JSON with the address that a person has to visit, then one with the answer.
// "by-hand" asks for sign-in before anything is refused, as clients do whose user presses a button.
import { createServer } from "node:http";
import { auth, UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url, name, args, byHand] = process.argv.slice(2);

let received;
const code = new Promise((resolve) => (received = resolve));
const listener = createServer((request, response) => {
  const query = new URL(request.url, "http://127.0.0.1").searchParams;
  response.end("You may close this window.");
  received(query);
}).listen(0, "127.0.0.1");
await new Promise((resolve) => listener.once("listening", resolve));
const redirectUrl = `http://127.0.0.1:${listener.address().port}/callback`;

class Provider {
  get redirectUrl() {
    return redirectUrl;
  }
  get clientMetadata() {
    return {
      client_name: "TypeScript pilot",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
  }
  state() {
    return "st4te";
  }
  clientInformation() {
    return this.client;
  }
  saveClientInformation(client) {
    this.client = client;
  }
  tokens() {
    return this.saved;
  }
  saveTokens(tokens) {
    this.saved = tokens;
  }
  redirectToAuthorization(address) {
    console.log(JSON.stringify({ visit: address.href }));
  }
  saveCodeVerifier(verifier) {
    this.verifier = verifier;
  }
  codeVerifier() {
    return this.verifier;
  }
}

const provider = new Provider();
const connected = async () => {
  const client = new Client({ name: "portolan-tests", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
  await client.connect(transport);
  return client;
};
let refusal = "";
try {
  if (byHand) await auth(provider, { serverUrl: url });
  else await connected();
} catch (error) {
  if (!(error instanceof UnauthorizedError)) throw error;
  refusal = error.constructor.name;
}
const query = await code;
listener.close();
const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
await transport.finishAuth(query.get("code"));
const client = await connected();
const { tools } = await client.listTools();
const result = await client.callTool({ name, arguments: JSON.parse(args) });
const before = provider.saved.access_token;
await auth(provider, { serverUrl: url }); // renews with the refresh token
console.log(
  JSON.stringify({
    refusal,
    state: query.get("state"),
    issuer: query.get("iss"),
    scope: provider.saved.scope,
    renewed: provider.saved.access_token !== before,
    tools: tools.map((tool) => tool.name),
    text: result.content[0].text,
  }),
);
await client.close();
process.exit(0);
