// Authenticated verifiers with invalid queries or invalid response parameters.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  encodePart as data,
  type HostileCase,
  itRefusesEach,
  withMetadata,
  withPayload,
  withRequest,
} from '../../../test/support/hostile-verifier.ts';
import { newSigner } from '../../../test/support/issuers.ts';
import { IDENTITY, queryFor, setUpPresentation } from '../../../test/support/presentation.ts';
import type { AskOptions, VerifierTwist } from '../../../test/support/toy-verifier.ts';
import { onWallet } from '../../../test/support/wallet.ts';

const PAYMENT = 'https://example.org/payment';
const stranger = newSigner();
const claims = (count: number) => Array.from({ length: count }, (_, at) => ({ path: [`claim_${at}`] }));
const manyQueries = Array.from({ length: 1000 }, (_, at) => queryFor(`q${at}`, IDENTITY));
const publicKey = { kty: 'EC', crv: 'P-256', x: stranger.jwk.x, y: (stranger.jwk as { y?: string }).y };

const queries: HostileCase[] = [
  { what: 'no query', twist: withRequest(({ payload }) => delete payload.dcql_query), why: /nothing/ },
  {
    what: 'a scope instead',
    twist: withRequest(({ payload }) => {
      delete payload.dcql_query;
      payload.scope = 'identity';
    }),
    why: /nothing/,
  },
  {
    what: 'two languages',
    twist: withPayload({ presentation_definition: { id: 'x', input_descriptors: [] } }),
    why: /two languages/,
  },
  {
    what: 'the old language',
    twist: withRequest(({ payload }) => {
      delete payload.dcql_query;
      delete payload.client_metadata.vp_formats_supported;
      payload.client_id_scheme = undefined;
      payload.presentation_definition = { id: 'x', input_descriptors: [] };
    }),
  },
  ...[
    ['text', 'credentials'],
    ['nothing in it', {}],
    ['no credentials', { credentials: [] }],
    ['the same id twice', { credentials: [queryFor('id', IDENTITY), queryFor('id', IDENTITY)] }],
    ['an id with other characters', { credentials: [queryFor('../id', IDENTITY)] }],
    ['no format', { credentials: [{ id: 'id', meta: {} }] }],
    ['a set of what is not there', { credentials: [queryFor('id', IDENTITY)], credential_sets: [{ options: [['other']] }] }],
    [
      'claim sets of what is not there',
      { credentials: [queryFor('id', IDENTITY, { claims: [{ id: 'a', path: ['a'] }], claim_sets: [['b']] })] },
    ],
    ['no meta', { credentials: [{ id: 'id', format: 'dc+sd-jwt' }] }],
    ['meta that is no object', { credentials: [{ id: 'id', format: 'dc+sd-jwt', meta: [] }] }],
    ['an empty option', { credentials: [queryFor('id', IDENTITY)], credential_sets: [{ options: [[]] }] }],
    [
      'an option that is empty beside one that is not',
      { credentials: [queryFor('id', IDENTITY)], credential_sets: [{ options: [['id'], []] }] },
    ],
    ['a set without options', { credentials: [queryFor('id', IDENTITY)], credential_sets: [{ options: [] }] }],
    ['an empty path', { credentials: [queryFor('id', IDENTITY, { claims: [{ path: [] }] })] }],
    ['a negative place', { credentials: [queryFor('id', IDENTITY, { claims: [{ path: ['a', -1] }] })] }],
    ['1000 queries', { credentials: manyQueries }],
    ['1000 claims', { credentials: [queryFor('id', IDENTITY, { claims: claims(1000) })] }],
    [
      '1000 sets',
      { credentials: [queryFor('id', IDENTITY)], credential_sets: Array.from({ length: 1000 }, () => ({ options: [['id']] })) },
    ],
    [
      '1000 options',
      { credentials: [queryFor('id', IDENTITY)], credential_sets: [{ options: Array.from({ length: 1000 }, () => ['id']) }] },
    ],
    [
      '1000 claim sets',
      {
        credentials: [
          queryFor('id', IDENTITY, { claims: [{ id: 'a', path: ['a'] }], claim_sets: Array.from({ length: 1000 }, () => ['a']) }),
        ],
      },
    ],
  ].map(([what, query]) => ({
    what: `a query with ${what}`,
    twist: withPayload({ dcql_query: query }),
    ...(typeof query === 'string' ? {} : { reportedError: 'invalid_request' }),
  })),
];

const encrypted: AskOptions = { mode: 'direct_post.jwt' };
const keysOf = (...keys: object[]): VerifierTwist => withMetadata({ jwks: { keys } });
const encryption: HostileCase[] = [
  { what: 'no keys', twist: withMetadata({ jwks: undefined }), reportedError: 'invalid_request' },
  { what: 'an empty list of keys', twist: keysOf(), reportedError: 'invalid_request' },
  {
    what: 'a private key',
    twist: keysOf({ ...publicKey, kid: 'a', alg: 'ECDH-ES', d: 'AAAA' }),
    reportedError: 'invalid_request',
  },
  {
    what: 'a shared secret',
    twist: keysOf({ kty: 'oct', k: 'AAAA', kid: 'a', alg: 'A256KW' }),
    reportedError: 'invalid_request',
  },
  {
    what: 'a key for signatures',
    twist: keysOf({ ...publicKey, kid: 'a', use: 'sig', alg: 'ES256' }),
    reportedError: 'invalid_request',
  },
  {
    what: 'a point that is on no curve',
    twist: keysOf({ ...publicKey, y: publicKey.x, kid: 'a', alg: 'ECDH-ES' }),
    reportedError: 'invalid_request',
  },
  {
    what: 'a curve nobody uses',
    twist: keysOf({ ...publicKey, crv: 'secp256k1', kid: 'a', alg: 'ECDH-ES' }),
    reportedError: 'invalid_request',
  },
  {
    what: 'an algorithm nobody knows',
    twist: keysOf({ ...publicKey, kid: 'a', alg: 'RSA1_5' }),
    reportedError: 'invalid_request',
  },
  {
    what: 'an encryption nobody knows',
    twist: withMetadata({ encrypted_response_enc_values_supported: ['ROT13'] }),
    reportedError: 'invalid_request',
  },
].map((one) => ({ ...one, ask: encrypted }));

const TRANSACTION = { code: 'unsupported-transaction-data' };
const transactions: HostileCase[] = [
  { what: 'that is no list', twist: withPayload({ transaction_data: 'x' }) },
  { what: 'that is no base64url', twist: withPayload({ transaction_data: ['{"type":"x"}'] }) },
  { what: 'that is no JSON', twist: withPayload({ transaction_data: ['AAAA'] }), ...TRANSACTION },
  {
    what: 'that names no credential',
    twist: withPayload({ transaction_data: [data({ type: PAYMENT, credential_ids: [] })] }),
    ...TRANSACTION,
  },
  {
    what: 'that is an empty list',
    twist: withPayload({ transaction_data: [] }),
    ...TRANSACTION,
    reportedError: 'invalid_transaction_data',
  },
  {
    what: 'of a query that is not there',
    twist: withPayload({ transaction_data: [data({ type: PAYMENT, credential_ids: ['other'] })] }),
    ...TRANSACTION,
    reportedError: 'invalid_transaction_data',
  },
  {
    what: 'of a type nobody allowed',
    twist: withPayload({ transaction_data: [data({ type: 'x', credential_ids: ['id'] })] }),
    ...TRANSACTION,
    reportedError: 'invalid_transaction_data',
  },
  {
    what: 'of 11 entries',
    twist: withPayload({ transaction_data: Array(11).fill(data({ type: PAYMENT, credential_ids: ['id'] })) }),
    ...TRANSACTION,
    reportedError: 'invalid_transaction_data',
  },
];

onWallet('SQLite', 'A verifier that asks badly', { settings: { GATEHOUSE_WALLET_TRANSACTION_DATA_TYPES: PAYMENT } }, (wallet) => {
  const world = setUpPresentation(wallet);

  itRefusesEach(world, {
    'that asks with': queries,
    'that wants an encrypted answer with': encryption,
    'with transaction data': transactions,
  });

  it('and an honest one is answered by the same wallet', async () => {
    const { person } = await world.holder();
    for (const ask of [{}, { mode: 'direct_post.jwt', by: 'post' }] as const)
      assert.equal((await world.present(person, ask)).status, 200);
    assert.equal(world.verifier.tokens.length, 2);
  });
});
