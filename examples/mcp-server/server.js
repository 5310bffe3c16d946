// A server of the Model Context Protocol (MCP) whose users sign in at Gatehouse, with the official SDK. It keeps notes in memory.
//
//   ISSUER=http://localhost:5000 PORT=3002 node examples/mcp-server/server.js
//
// docs/guide/mcp-server.md says how to register it as an API.
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { getOAuthProtectedResourceMetadataUrl, mcpAuthMetadataRouter } from '@modelcontextprotocol/sdk/server/auth/router.js';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { z } from 'zod';

const { ISSUER = 'http://localhost:5000', PORT = '3002' } = process.env;
/** Its address is the identifier of the API, and the audience of its tokens. */
const { ADDRESS = `http://127.0.0.1:${PORT}/mcp` } = process.env;
const READ = 'notes:read';
const WRITE = 'notes:write';

const metadata = await (await fetch(`${ISSUER}/.well-known/oauth-authorization-server`)).json();
// Whoever answers there must call itself so (RFC 8414, 3.3): tokens of another issuer would be good here.
if (metadata.issuer !== ISSUER) throw new Error(`ISSUER calls itself ${metadata.issuer}: use this address`);
const keys = createRemoteJWKSet(new URL(metadata.jwks_uri));

/** A token that Gatehouse made for this server (RFC 9068), and for no other. */
async function verifyAccessToken(token) {
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer: metadata.issuer,
      audience: ADDRESS,
      typ: 'at+jwt',
      algorithms: ['ES256'],
    });
    // A token that is bound to a key (DPoP) needs the proof of the key, which this example does not check.
    if (payload.cnf) throw new Error('the token is bound to a key');
    return {
      token,
      clientId: payload.client_id,
      scopes: (payload.scope ?? '').split(' '),
      expiresAt: payload.exp,
      resource: new URL(ADDRESS),
      extra: { person: payload.sub },
    };
  } catch {
    throw new InvalidTokenError('the token is not good here');
  }
}

/** By person. */
const notes = new Map();
const text = (value) => ({ content: [{ type: 'text', text: value }] });
const refused = (scope) => ({ ...text(`This needs the scope ${scope}, which was not allowed.`), isError: true });

/** Tools know who calls them, and what that person allowed. */
function createServer() {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  const ownNotes = ({ authInfo }) => notes.get(authInfo.extra.person) ?? [];
  server.registerTool('list_notes', { description: 'Lists your notes' }, (extra) =>
    extra.authInfo.scopes.includes(READ) ? text(ownNotes(extra).join('\n')) : refused(READ),
  );
  server.registerTool(
    'add_note',
    { description: 'Adds a note', inputSchema: { note: z.string().max(500) } },
    ({ note }, extra) => {
      if (!extra.authInfo.scopes.includes(WRITE)) return refused(WRITE);
      notes.set(extra.authInfo.extra.person, [...ownNotes(extra), note]);
      return text('added');
    },
  );
  return server;
}

const app = createMcpExpressApp({ host: '127.0.0.1' });
const resourceServerUrl = new URL(ADDRESS);
// Programs ask here who issues tokens for this server, and which scopes there are (RFC 9728). `offline_access` gives them refresh tokens.
app.use(
  mcpAuthMetadataRouter({
    oauthMetadata: metadata,
    resourceServerUrl,
    resourceName: 'Notes',
    scopesSupported: [READ, WRITE, 'offline_access'],
  }),
);
// No scope is required here: clients would ask for no other. What each tool needs, it says itself.
const signedIn = requireBearerAuth({
  verifier: { verifyAccessToken },
  resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(resourceServerUrl),
  expectedResource: resourceServerUrl,
});
app.post('/mcp', signedIn, async (request, response) => {
  const server = createServer();
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  response.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response, request.body);
});
app.all('/mcp', signedIn, (_request, response) => response.status(405).set('Allow', 'POST').end());

app.listen(Number(PORT), '127.0.0.1', () => console.log(ADDRESS));
