// A demo issuer (port 7001) and a demo verifier (port 7002) for the guide docs/guide/credentials.md. It issues one SD-JWT VC by
// pre-authorized code and requests it by DCQL. Not for real use: it keeps everything, including keys, in memory and checks only what
// the guide needs.
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { decodeJwt, decodeProtectedHeader, exportJWK, importJWK, jwtVerify, SignJWT } from 'jose';

const ISSUER_PORT = Number(process.env.ISSUER_PORT ?? 7001);
const VERIFIER_PORT = Number(process.env.VERIFIER_PORT ?? 7002);
const ISSUER = `http://127.0.0.1:${ISSUER_PORT}`;
const VERIFIER = `http://127.0.0.1:${VERIFIER_PORT}`;
const VCT = `${ISSUER}/types/membership`;
const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

const random = () => randomBytes(16).toString('base64url');
const encoded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decoded = (text) => JSON.parse(Buffer.from(text, 'base64url').toString());

/** A server from a table of paths. The result of a handler is the answer. */
function serve(port, routes) {
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, `http://${request.headers.host}`);
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
    const body = isForm ? Object.fromEntries(new URLSearchParams(text)) : text ? JSON.parse(text) : {};
    const [, first = '', second = ''] = url.pathname.split('/');
    const handler = routes[url.pathname] ?? routes[`/${first}/*`];
    const {
      status = 200,
      type = 'application/json',
      answer,
    } = handler ? await handler({ body, request, last: second }) : { status: 404, answer: { error: 'not_found' } };
    response.writeHead(status, { 'Content-Type': type });
    response.end(answer === undefined ? undefined : typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  return new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
}

// ---- The issuer -----------------------------------------------------------------------------------------------------------

const issuerKey = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const codes = new Set();
const tokens = new Set();
const nonces = new Set();

function offer() {
  const code = random();
  codes.add(code);
  const value = {
    credential_issuer: ISSUER,
    credential_configuration_ids: ['membership'],
    grants: { [PRE_AUTHORIZED]: { 'pre-authorized_code': code } },
  };
  return {
    type: 'text/plain',
    answer: `openid-credential-offer://?credential_offer=${encodeURIComponent(JSON.stringify(value))}\n`,
  };
}

/** A wallet shows a logo that is in the metadata. It would not fetch one. */
const LOOK = {
  background_color: '#5b2a86',
  text_color: '#ffffff',
  logo: {
    uri: `data:image/png;base64,${readFileSync(new URL('logo.png', import.meta.url)).toString('base64')}`,
    alt_text: 'A star',
  },
};

const named = (claim, english, spanish) => ({
  path: [claim],
  display: [
    { name: english, locale: 'en' },
    { name: spanish, locale: 'es' },
  ],
});

const metadata = () => ({
  answer: {
    credential_issuer: ISSUER,
    credential_endpoint: `${ISSUER}/credential`,
    nonce_endpoint: `${ISSUER}/nonce`,
    display: [{ name: 'The demo issuer' }],
    credential_configurations_supported: {
      membership: {
        format: 'dc+sd-jwt',
        vct: VCT,
        cryptographic_binding_methods_supported: ['jwk'],
        proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES256', 'EdDSA'] } },
        credential_metadata: {
          display: [
            { name: 'Membership', locale: 'en', description: 'Who belongs to the demo club.', ...LOOK },
            { name: 'Membresía', locale: 'es', description: 'Quién es del club de demostración.', ...LOOK },
          ],
          // In the order in which wallets show them.
          claims: [
            named('name', 'Name', 'Nombre'),
            named('level', 'Level', 'Nivel'),
            named('since', 'Member since', 'Miembro desde'),
          ],
        },
      },
    },
  },
});

const serverMetadata = () => ({ answer: { issuer: ISSUER, token_endpoint: `${ISSUER}/token` } });

const issuerKeys = async () => ({
  answer: { issuer: ISSUER, jwks: { keys: [{ ...(await exportJWK(issuerKey.publicKey)), kid: 'demo', alg: 'ES256' }] } },
});

function token({ body }) {
  if (!codes.delete(body['pre-authorized_code'])) return { status: 400, answer: { error: 'invalid_grant' } };
  const value = random();
  tokens.add(value);
  return { answer: { access_token: value, token_type: 'Bearer', expires_in: 300 } };
}

function nonce() {
  const value = random();
  nonces.add(value);
  return { answer: { c_nonce: value } };
}

async function credential({ body, request }) {
  if (!tokens.has((request.headers.authorization ?? '').replace(/^Bearer /, '')))
    return { status: 401, answer: { error: 'invalid_token' } };
  const proof = body.proofs.jwt[0];
  const { jwk, alg } = decodeProtectedHeader(proof);
  const { payload } = await jwtVerify(proof, await importJWK(jwk, alg), { audience: ISSUER, typ: 'openid4vci-proof+jwt' });
  if (!nonces.delete(payload.nonce)) return { status: 400, answer: { error: 'invalid_nonce' } };
  const disclosures = Object.entries({ name: 'Ada Lovelace', level: 'gold', since: 1843 }).map((entry) =>
    encoded([random(), ...entry]),
  );
  const now = Math.floor(Date.now() / 1000);
  const jwt = await new SignJWT({
    iss: ISSUER,
    iat: now,
    exp: now + 30 * 86_400,
    vct: VCT,
    cnf: { jwk },
    _sd_alg: 'sha-256',
    _sd: disclosures.map((text) => createHash('sha256').update(text).digest('base64url')),
  })
    .setProtectedHeader({ alg: 'ES256', typ: 'dc+sd-jwt', kid: 'demo' })
    .sign(issuerKey.privateKey);
  return { answer: { credentials: [{ credential: `${[jwt, ...disclosures].join('~')}~` }] } };
}

// ---- The verifier ---------------------------------------------------------------------------------------------------------

const verifierKey = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const requests = new Map();

/** The verifier is identified by a did:jwk, which contains its public key. */
const verifierDid = async () => `did:jwk:${encoded(await exportJWK(verifierKey.publicKey))}`;

async function newRequest() {
  const id = random();
  requests.set(id, { nonce: random(), shown: undefined });
  const parameters = new URLSearchParams({
    client_id: `decentralized_identifier:${await verifierDid()}`,
    request_uri: `${VERIFIER}/requests/${id}`,
  });
  return { type: 'text/plain', answer: `openid4vp://?${parameters}\n` };
}

async function requestObject({ last: id }) {
  const known = requests.get(id);
  if (!known) return { status: 404, answer: { error: 'not_found' } };
  const did = await verifierDid();
  const answer = await new SignJWT({
    response_type: 'vp_token',
    client_id: `decentralized_identifier:${did}`,
    response_mode: 'direct_post',
    response_uri: `${VERIFIER}/response`,
    nonce: known.nonce,
    state: id,
    aud: 'https://self-issued.me/v2',
    dcql_query: {
      credentials: [
        {
          id: 'card',
          format: 'dc+sd-jwt',
          meta: { vct_values: [VCT] },
          claims: [
            { id: 'level', path: ['level'] },
            { id: 'since', path: ['since'] },
          ],
          // The year may be left out.
          claim_sets: [['level', 'since'], ['level']],
        },
      ],
    },
    client_metadata: {
      client_name: 'The demo verifier',
      vp_formats_supported: { 'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'], 'kb-jwt_alg_values': ['ES256', 'EdDSA'] } },
    },
  })
    .setProtectedHeader({ alg: 'ES256', typ: 'oauth-authz-req+jwt', kid: `${did}#0` })
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(verifierKey.privateKey);
  return { type: 'application/oauth-authz-req+jwt', answer };
}

/** Checks the issuer's signature, the holder's signature, what it covers, and the nonce. */
async function response({ body }) {
  const known = requests.get(body.state);
  if (!known || known.shown) return { status: 400, answer: { error: 'invalid_request' } };
  if (body.error) {
    known.shown = { error: body.error };
    return { answer: {} };
  }
  const parts = JSON.parse(body.vp_token).card[0].split('~');
  const binding = parts.pop();
  const [jwt, ...disclosures] = parts;
  await jwtVerify(jwt, issuerKey.publicKey, { issuer: ISSUER });
  const { cnf, _sd: digests } = decodeJwt(jwt);
  const { alg } = decodeProtectedHeader(binding);
  const { payload } = await jwtVerify(binding, await importJWK(cnf.jwk, alg), {
    typ: 'kb+jwt',
    audience: `decentralized_identifier:${await verifierDid()}`,
  });
  const over = createHash('sha256')
    .update(`${parts.join('~')}~`)
    .digest('base64url');
  const isOurs = disclosures.every((text) => digests.includes(createHash('sha256').update(text).digest('base64url')));
  if (payload.nonce !== known.nonce || payload.sd_hash !== over || !isOurs)
    return { status: 400, answer: { error: 'invalid_request' } };
  known.shown = Object.fromEntries(disclosures.map((text) => decoded(text).slice(1)));
  return { answer: {} };
}

const results = () => ({ answer: [...requests.values()].map(({ shown }) => shown ?? 'waiting') });

await serve(ISSUER_PORT, {
  '/offer': offer,
  '/.well-known/openid-credential-issuer': metadata,
  '/.well-known/oauth-authorization-server': serverMetadata,
  '/.well-known/jwt-vc-issuer': issuerKeys,
  '/token': token,
  '/nonce': nonce,
  '/credential': credential,
});
await serve(VERIFIER_PORT, { '/request': newRequest, '/requests/*': requestObject, '/response': response, '/results': results });
console.log(`issuer:   curl ${ISSUER}/offer`);
console.log(`verifier: curl ${VERIFIER}/request, then curl ${VERIFIER}/results`);
