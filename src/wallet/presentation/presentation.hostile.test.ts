// Verifiers with exactly one fault in identity, signature, form or delivery of the request.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { it } from 'node:test';
import {
  encodePart,
  type HostileCase,
  itRefusesEach,
  resigned,
  withHeader,
  withParameters,
  withPayload,
  withRequest,
  withResponse,
} from '../../../test/support/hostile-verifier.ts';
import { newSigner } from '../../../test/support/issuers.ts';
import { setUpPresentation, VP } from '../../../test/support/presentation.ts';
import type { VerifierTwist } from '../../../test/support/toy-verifier.ts';
import { onWallet } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';

const REQUEST = { 'Content-Type': 'application/oauth-authz-req+jwt' };
const stranger = newSigner();

const signatures: HostileCase[] = [
  { what: 'has another type', twist: withHeader({ typ: 'JWT' }), why: /type/ },
  { what: 'has no type', twist: withRequest(({ header: head }) => delete head.typ), why: /type/ },
  {
    what: 'has another type and looks like an early draft, which the library lets pass',
    twist: {
      request: ({ header: head, payload }) => {
        head.typ = 'at+jwt';
        payload.client_id_scheme = 'did';
        payload.client_id = payload.client_id.replace('decentralized_identifier:', '');
        delete payload.client_metadata;
      },
      parameters: (all) => all.set('client_id', all.get('client_id')!.replace('decentralized_identifier:', '')),
    },
    why: /type/,
  },
  {
    what: 'is of another client',
    reason: /client_id does not match/,
    twist: withPayload({ client_id: `decentralized_identifier:${stranger.did}` }),
  },
  {
    what: 'was scanned as that of another client',
    reason: /client_id does not match/,
    twist: withParameters({ client_id: `decentralized_identifier:${stranger.did}` }),
  },
  { what: 'was scanned without a client', twist: withParameters({ client_id: undefined }), why: /client_id/ },
  { what: 'names no client inside', reason: /schema/, twist: withRequest(({ payload }) => delete payload.client_id) },
  { what: 'names a key of another DID', reason: /verification of jwt/, twist: withHeader({ kid: stranger.didUrl }) },
  {
    what: 'is signed by another DID',
    reason: /same DID/,
    twist: withRequest((draft) => {
      draft.header.kid = stranger.didUrl;
      draft.key = stranger.key;
    }),
  },
  {
    what: 'names a key the DID does not have',
    twist: withRequest(({ header: head }) => void Object.assign(head, { kid: `${head.kid}1` })),
    code: 'untrusted-verifier',
  },
  {
    what: 'is signed by another key',
    reason: /verification of jwt/,
    twist: withRequest((draft) => void Object.assign(draft, { key: stranger.key })),
  },
  {
    what: 'has a broken signature',
    reason: /verification of jwt/,
    twist: { text: (jwt) => `${jwt.slice(0, -8)}${jwt.endsWith('AAAAAAAA') ? 'BBBBBBBB' : 'AAAAAAAA'}` },
  },
  {
    what: 'was changed after it was signed',
    reason: /verification of jwt/,
    twist: {
      text(jwt) {
        const [head, body, signature] = jwt.split('.');
        const payload = JSON.parse(Buffer.from(body!, 'base64url').toString());
        return [head, encodePart({ ...payload, state: 'changed' }), signature].join('.');
      },
    },
  },
  { what: 'is signed with none', twist: resigned({ alg: 'none' }, () => '') },
  {
    what: 'is signed with none and something',
    twist: resigned({ alg: 'none' }, () => 'AAAA'),
  },
  {
    what: 'is signed with a shared secret',
    reason: /verification of jwt/,
    twist: resigned({ alg: 'HS256' }, (input) =>
      createHmac('sha256', Buffer.from('AAAA', 'base64url')).update(input).digest('base64url'),
    ),
  },
  {
    what: 'names extensions that must be understood',
    twist: withHeader({ crit: ['b64'], b64: true }),
    why: /not a signed request/,
  },
  { what: 'has expired', reason: /'exp' is in the past/, twist: withPayload({ exp: Math.floor(Date.now() / 1000) - 600 }) },
  {
    what: 'is not valid yet',
    reason: /'nbf' is in the future/,
    twist: withPayload({ nbf: Math.floor(Date.now() / 1000) + 6000 }),
  },
  { what: 'is no JWT', twist: { text: () => 'no request at all' } },
  { what: 'is encrypted for nobody', twist: { text: (jwt) => `${jwt}.AAAA.AAAA` } },
];

const clients = (id: string): VerifierTwist => ({ ...withPayload({ client_id: id }), ...withParameters({ client_id: id }) });
const kinds: HostileCase[] = [
  { what: 'an unknown prefix', reason: /Unsupported client_id/, twist: clients('telepathy:verifier') },
  { what: 'the prefix origin', twist: clients('origin:https://verifier.example') },
  { what: 'the prefix web-origin', twist: clients('web-origin:https://verifier.example') },
  { what: 'a federation', twist: clients('openid_federation:https://verifier.example') },
  { what: 'a federation, as drafts wrote it', twist: clients('https://verifier.example') },
  { what: 'a certificate, without one', twist: clients('x509_san_dns:127.0.0.1') },
  { what: 'a certificate by its hash, without one', twist: clients('x509_hash:AAAA') },
  { what: 'redirect_uri, signed', reason: /signer method/, twist: {}, ask: { prefix: 'redirect_uri' } },
  { what: 'a DID, unsigned', reason: /requires a signed/, twist: {}, ask: { by: 'unsigned' } },
  {
    what: 'an attestation, unsigned',
    reason: /requires a signed/,
    twist: clients('verifier_attestation:verifier.example'),
    ask: { by: 'unsigned' },
  },
  {
    what: 'redirect_uri with another response_uri',
    reason: /MUST match the response_uri/,
    twist: withPayload({ response_uri: 'http://127.0.0.1:9/' }),
    ask: { by: 'unsigned', prefix: 'redirect_uri' },
  },
  // Their client id is their address (OID4VP 1.0, 5.9.3), so it must be one.
  ...['', 'nowhere', 'javascript:alert(1)', 'https://a:b@verifier.example/', 'https://verifier.example/#part'].map((address) => ({
    what: `redirect_uri that is ${address || 'empty'}, and no response_uri`,
    twist: withParameters({ response_uri: undefined, client_id: `redirect_uri:${address}` }),
    ask: { by: 'unsigned', prefix: 'redirect_uri' } as const,
  })),
  {
    what: 'redirect_uri, with a redirect_uri instead of a response_uri',
    twist: withParameters({ response_uri: undefined, redirect_uri: 'http://127.0.0.1:9/' }),
    ask: { by: 'unsigned', prefix: 'redirect_uri' } as const,
  },
];

const shapes: HostileCase[] = [
  { what: 'no nonce', twist: withRequest(({ payload }) => delete payload.nonce) },
  ...['', 'with space', 'with"quote', 'ümlaut', 'a\nb', 'x'.repeat(600)].map((nonce) => ({
    what: `the nonce ${JSON.stringify(nonce.slice(0, 10))}`,
    twist: withPayload({ nonce }),
    why: /nonce/,
  })),
  { what: 'a nonce that is a number', twist: withPayload({ nonce: 7 }) },
  {
    what: 'redirect_uri beside response_uri',
    twist: withPayload({ redirect_uri: 'https://verifier.example/' }),
    why: /redirect_uri/,
  },
  ...['fragment', 'query', 'dc_api', 'dc_api.jwt', 'form_post', ''].map((mode) => ({
    what: `response_mode "${mode}"`,
    twist: withPayload({ response_mode: mode }),
  })),
  { what: 'no response_mode', twist: withRequest(({ payload }) => delete payload.response_mode) },
  ...['code', 'vp_token id_token', 'id_token'].map((type) => ({
    what: `response_type ${type}`,
    twist: withPayload({ response_type: type }),
  })),
  { what: 'no response_type', twist: withRequest(({ payload }) => delete payload.response_type) },
  { what: 'no response_uri', twist: withRequest(({ payload }) => delete payload.response_uri) },
  ...[
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:,x',
    '/response',
    'https://user:secret@verifier.example/',
    'https://verifier.example/#x',
  ].map((to) => ({ what: `the response_uri ${to}`, twist: withPayload({ response_uri: to }) })),
  {
    what: 'a response_uri on a private address',
    twist: withPayload({ response_uri: 'https://10.0.0.1/' }),
    code: 'blocked-address',
    status: 403,
  },
  {
    what: 'a response_uri where clouds keep passwords',
    twist: withPayload({ response_uri: 'http://169.254.169.254/latest' }),
    code: 'blocked-address',
    status: 403,
  },
  { what: 'a state that is no text', twist: withPayload({ state: { a: 1 } }) },
  { what: 'a request within', twist: withPayload({ request: 'a.b.c' }), why: /another request/ },
  {
    what: 'a place for another request within',
    twist: withPayload({ request_uri: 'https://verifier.example/' }),
    why: /another request/,
  },
  ...[[], 'metadata', 7, null, true].map((metadata) => ({
    what: `client_metadata ${JSON.stringify(metadata)}`,
    twist: withPayload({ client_metadata: metadata }),
    why: /client_metadata/,
  })),
  ...['[]', '"metadata"', '7', 'null', '{'].map((metadata) => ({
    what: `client_metadata ${metadata}, unsigned`,
    ask: { by: 'unsigned', prefix: 'redirect_uri' } as const,
    twist: withParameters({ client_metadata: metadata }),
    why: /client_metadata/,
  })),
  {
    what: 'metadata elsewhere, which the library would fetch unguarded',
    twist: withRequest(({ payload }) => {
      payload.client_metadata_uri = payload.response_uri.replace('/response', '/metadata');
      delete payload.client_metadata;
    }),
    why: /client_metadata_uri/,
  },
];

const UPSTREAM = { code: 'upstream-error', status: 502 };
const BLOCKED = { code: 'blocked-address', status: 403 };
const transport: HostileCase[] = [
  { what: 'comes twice, by value and by reference', twist: withParameters({ request: 'a.b.c' }), why: /both/ },
  { what: 'has a parameter twice', twist: { parameters: (all) => all.append('client_id', 'other') }, why: /twice/ },
  { what: 'is to be fetched with another method', twist: withParameters({ request_uri_method: 'POST' }), why: /get or post/ },
  ...[
    'http://10.0.0.1/',
    'https://169.254.169.254/latest',
    'https://[::1]/',
    'https://0x0a000001/',
    'http://verifier.example/',
    'file:///etc/passwd',
    'https://verifier.example:22/',
    'https://a:b@verifier.example/',
  ].map((uri) => ({ what: `is at ${uri}`, twist: withParameters({ request_uri: uri }), ...BLOCKED })),
  { what: 'is somewhere else', twist: withResponse(302, { Location: 'http://127.0.0.1:9/' }, ''), ...UPSTREAM },
  { what: 'is not there', twist: withResponse(404, {}, ''), ...UPSTREAM },
  { what: 'is a page', twist: withResponse(200, { 'Content-Type': 'text/html' }, '<html>'), ...UPSTREAM },
  { what: 'is empty', twist: withResponse(200, REQUEST, ''), why: /not a signed request/ },
  { what: 'is larger than any request', twist: withResponse(200, REQUEST, 'a'.repeat(2 * 1024 * 1024)), ...UPSTREAM },
  {
    what: 'never ends',
    twist: {
      raw(endpoint, _, response) {
        if (endpoint !== 'request') return false;
        response.writeHead(200, REQUEST);
        const more = () => {
          if (!response.destroyed) response.write('a'.repeat(65_536), () => setImmediate(more));
        };
        more();
        return true;
      },
    },
    ...UPSTREAM,
  },
  {
    what: 'breaks off',
    twist: { raw: (endpoint, request) => endpoint === 'request' && Boolean(request.socket.destroy()) },
    ...UPSTREAM,
  },
  {
    what: 'comes without the nonce of the wallet',
    reason: /wallet_nonce/,
    ask: { by: 'post' },
    twist: withRequest(({ payload }) => delete payload.wallet_nonce),
  },
  {
    what: 'comes with another nonce than that of the wallet',
    reason: /wallet_nonce/,
    ask: { by: 'post' },
    twist: withPayload({ wallet_nonce: 'another' }),
  },
  {
    what: 'has a query that is no JSON',
    ask: { by: 'unsigned', prefix: 'redirect_uri' },
    twist: withParameters({ dcql_query: '{' }),
    why: /JSON/,
  },
];

onWallet('SQLite', 'A dishonest verifier', {}, (wallet) => {
  const world = setUpPresentation(wallet);
  const { verifier } = world;

  itRefusesEach(world, {
    'whose request': signatures,
    'that says who it is by': kinds,
    'whose request has': shapes,
    'whose request, on its way,': transport,
  });

  it('that replays a request gets no second answer', async () => {
    const { person } = await world.holder();
    const first = await verifier.ask({ by: 'value' });
    assert.equal((await person.post(VP, { uri: first })).status, 200);
    const { nonce } = verifier.asked;
    verifier.twist = withPayload({ nonce, state: 'another' });
    for (const by of ['value', 'get', 'post'] as const)
      assertProblem(await person.post(VP, { uri: await verifier.ask({ by }) }), 409, 'request-already-answered');
    assert.equal(verifier.tokens.length, 1);
  });
});
