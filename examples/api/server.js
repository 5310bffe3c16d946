// An API that takes access tokens of Gatehouse: JWTs, which it checks itself, or opaque ones, about which it asks.
//
//   ISSUER=http://localhost:5000 AUDIENCE=https://papers.example.org node examples/api/server.js
//
// For opaque tokens also CLIENT_ID and CLIENT_SECRET: those of the application that the API belongs to.
import { createServer } from 'node:http';
import { createRemoteJWKSet, jwtVerify } from 'jose';

const { ISSUER = 'http://localhost:5000', AUDIENCE, CLIENT_ID, CLIENT_SECRET, PORT = '3001' } = process.env;
if (!AUDIENCE) throw new Error('set AUDIENCE to the identifier of the API');

const metadata = await (await fetch(`${ISSUER}/.well-known/openid-configuration`)).json();
// Whoever answers there must call itself so (OpenID Connect Discovery 1.0, 4.3): tokens of another issuer would be good here.
if (metadata.issuer !== ISSUER) throw new Error(`ISSUER calls itself ${metadata.issuer}: use this address`);
const keys = createRemoteJWKSet(new URL(metadata.jwks_uri));

/** The claims of a JWT (RFC 9068). Throws if it is not for this API. */
async function verified(token) {
  const { payload } = await jwtVerify(token, keys, {
    issuer: metadata.issuer,
    audience: AUDIENCE,
    typ: 'at+jwt',
    algorithms: ['ES256'],
  });
  return payload;
}

/** What the service says about a token (RFC 7662). It knows at once when a token ends. */
async function introspected(token) {
  const credentials = Buffer.from(`${encodeURIComponent(CLIENT_ID)}:${encodeURIComponent(CLIENT_SECRET)}`).toString('base64');
  const answer = await fetch(metadata.introspection_endpoint, {
    method: 'POST',
    headers: { Authorization: `Basic ${credentials}` },
    body: new URLSearchParams({ token }),
  });
  const claims = await answer.json();
  if (!claims.active || claims.aud !== AUDIENCE) throw new Error('the token is not active');
  return claims;
}

const refuse = (response, status, challenge) => response.writeHead(status, { 'WWW-Authenticate': challenge }).end();

createServer(async (request, response) => {
  const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
  if (!token) return refuse(response, 401, 'Bearer');
  let claims;
  try {
    claims = CLIENT_ID ? await introspected(token) : await verified(token);
  } catch {
    return refuse(response, 401, 'Bearer error="invalid_token"');
  }
  // A token that is bound to a key (DPoP) needs the proof of the key, which this example does not check.
  if (claims.cnf) return refuse(response, 401, 'Bearer error="invalid_token"');
  if (!(claims.scope ?? '').split(' ').includes('papers:read'))
    return refuse(response, 403, 'Bearer error="insufficient_scope", scope="papers:read"');
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify({ papers: [], of: claims.sub, by: claims.client_id }));
}).listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${PORT}`));
