// A client of the Model Context Protocol with the official SDK: it finds out where to sign in, registers itself, and calls the tools.
//
//   SERVER=http://127.0.0.1:3002/mcp node examples/mcp-server/client.js
//
// Open the address that it prints. With CLIENT_DOCUMENT, its client id is the address of that document, and it need not register.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const { SERVER = 'http://127.0.0.1:3002/mcp', CLIENT_DOCUMENT, CALLBACK_PORT = '3003' } = process.env;
const redirectUrl = `http://127.0.0.1:${CALLBACK_PORT}/callback`;
const state = randomBytes(16).toString('base64url');

/** Where the SDK keeps what it needs. A real client keeps tokens and its registration from one start to the next. */
const kept = {};
const keep = (name) => (value) => {
  kept[name] = value;
};
const authProvider = {
  ...(CLIENT_DOCUMENT ? { clientMetadataUrl: CLIENT_DOCUMENT } : {}),
  redirectUrl,
  clientMetadata: {
    client_name: 'Example of a client',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  state: () => state,
  clientInformation: () => kept.client,
  saveClientInformation: keep('client'),
  tokens: () => kept.tokens,
  saveTokens: keep('tokens'),
  redirectToAuthorization: (url) => console.log(`open ${url}`),
  saveCodeVerifier: keep('verifier'),
  codeVerifier: () => kept.verifier,
};

/** The person returns here with a code. */
function waitForCode() {
  return new Promise((resolve, reject) => {
    const server = createServer((request, response) => {
      const { searchParams } = new URL(request.url, redirectUrl);
      response.end('You can close this page.\n', () => server.close());
      const code = searchParams.get('code');
      if (code && searchParams.get('state') === state) resolve(code);
      else reject(new Error(searchParams.get('error') ?? 'this is no answer to the question'));
    }).listen(Number(CALLBACK_PORT), '127.0.0.1');
  });
}

async function connect() {
  const client = new Client({ name: 'example', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(SERVER), { authProvider });
  try {
    await client.connect(transport);
    return client;
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    await transport.finishAuth(await code);
    return connect();
  }
}

const code = waitForCode();
const client = await connect();
const call = async (name, values = {}) => {
  const { content, isError } = await client.callTool({ name, arguments: values });
  console.log(`${isError ? 'refused ' : ''}${name}: ${content[0].text}`);
};
console.log(`client id ${kept.client?.client_id}`);
await call('add_note', { note: 'Buy bread' });
await call('list_notes');
// As if the token had ended: the SDK gets another one with the refresh token, and nobody is asked.
const first = kept.tokens;
kept.tokens = { ...first, access_token: 'ended' };
await call('list_notes');
console.log(
  kept.tokens.access_token !== 'ended' && kept.tokens.access_token !== first.access_token ? 'refreshed' : 'not refreshed',
);
await client.close();
