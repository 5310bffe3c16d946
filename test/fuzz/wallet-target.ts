// Fuzzing of the wallet node.

import { walletOpenApi } from '../../src/openapi.ts';
import { walletFaults } from '../../src/wallet/ground/faults.ts';
import { problemCode } from '../../src/wallet/resource/error-format.ts';
import type { TestWallet, WalletUser } from '../support/wallet.ts';
import type { FuzzPlan, FuzzTarget } from './fuzz.ts';
import { IdPool } from './id-pool.ts';
import type { Random } from './random.ts';
import type { FuzzPersona } from './requests.ts';
import type { UsualValues } from './values.ts';
import { operationsOf } from './verdict.ts';
import { type WireResponse, wireAddressOf } from './wire.ts';

const { operations, errors } = operationsOf(walletOpenApi());

export { operations as walletOperations };

/** Failures of peers are documented: 502 and 504 with a known code, 503 while the provider is unreachable. */
const PEERS_FAILURES = new Set(
  Object.entries(walletFaults)
    .filter(([, { status }]) => status === 502 || status === 504)
    .map(([code, { status }]) => `${status} ${problemCode(code, status)}`),
).add('503 identity-provider-unavailable');

function isDocumented({ status, body }: WireResponse): boolean {
  try {
    return PEERS_FAILURES.has(`${status} ${(JSON.parse(body) as { code?: string }).code}`);
  } catch {
    return false;
  }
}

export const walletTarget = (wallet: TestWallet): FuzzTarget => ({
  peer: wireAddressOf(wallet.url),
  expectationsOf: (_target, operation) => ({ operation, formats: [errors], isDocumented }),
});

const KINDS: readonly (readonly [RegExp, string])[] = [
  [/\/keys/, 'key'],
  [/\/dids/, 'did'],
  [/\/credentials/, 'credential'],
  [/\/exchanges/, 'exchange'],
];
const kindAt = (path: string): string | undefined => KINDS.find(([pattern]) => pattern.test(path))?.[1];

/** `peers` are addresses on this machine with no server, or with one that answers nonsense, so that no request leaves the machine. */
function wordsOf(random: Random, pool: IdPool, peers: readonly string[]): UsualValues {
  const peer = () => random.pick(peers);
  const fixed: Readonly<Record<string, () => string | undefined>> = {
    // Only a few RSA keys, because they take long to generate.
    algorithm: () =>
      random.pick(['ES256', 'EdDSA', 'ES384', 'ES512', 'ES256K', 'ES256', 'EdDSA', random.chance(0.1) ? 'RS256' : 'ES256']),
    method: () => random.pick(['web', 'key', 'jwk']),
    alias: () => `alias-${random.below(1e6)}`,
    path: () => `name-${random.below(1e6)}`,
    keyIds: () => pool.pick('key', true),
    keyId: () => pool.pick('key', true),
    didId: () => pool.pick('did', true),
    exchangeId: () => pool.pick('exchange', true) ?? 'ex_none',
    uri: () => {
      const offer = JSON.stringify({ credential_issuer: peer(), credential_configuration_ids: ['a'], grants: {} });
      return random.pick([
        `openid-credential-offer://?credential_offer=${encodeURIComponent(offer)}`,
        `openid-credential-offer://?credential_offer_uri=${encodeURIComponent(`${peer()}/offer`)}`,
        `openid4vp://?client_id=redirect_uri%3A${encodeURIComponent(peer())}&response_type=vp_token&nonce=n&response_mode=direct_post&response_uri=${encodeURIComponent(peer())}&dcql_query=${encodeURIComponent('{"credentials":[{"id":"a","format":"dc+sd-jwt","meta":{"vct_values":["x"]}}]}')}`,
        `openid4vp://?client_id=x509_san_dns%3Averifier.example&request_uri=${encodeURIComponent(`${peer()}/request`)}`,
        `openid4vp://?client_id=decentralized_identifier%3Adid%3Ajwk%3AeyJ9&request=a.b.c`,
        'haip-vp://?client_id=x',
      ]);
    },
    credential_issuer: peer,
    serviceEndpoint: peer,
    type: () => 'LinkedDomains',
    gracePeriod: () => random.pick(['P30D', 'PT0S', 'P1Y', '-P1D']),
    duration: () => random.pick(['720h', '1s', '-1h']),
    limit: () => random.pick(['1', '10', '0', '1000000']),
    force: () => random.pick(['true', 'false']),
    state: () => random.pick(['active', 'revoked', 'published', 'draft', 'xyz']),
    return_to: () => random.pick(['/app', '//evil.example', 'https://evil.example', '/\\evil']),
    kty: () => random.pick(['EC', 'OKP', 'RSA', 'oct']),
    pem: () => '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----',
    iss: peer,
    code: () => 'code',
    refreshStatus: () => random.pick(['true', 'false']),
    name: () => `name-${random.below(1e6)}`,
  };
  return (name) => fixed[name]?.();
}

export async function walletPlan(wallet: TestWallet, random: Random, count: number, peers: readonly string[]): Promise<FuzzPlan> {
  const pool = new IdPool(random);
  const people = new Map<string, WalletUser>();
  const owner = (name: string): FuzzPersona => ({
    name,
    credentials: () => [
      ['Cookie', people.get(name)!.cookie],
      ['Origin', wallet.publicUrl],
    ],
  });
  const personas = [owner('owner'), owner('another owner'), owner('owner'), { name: 'nobody', credentials: () => [] }];
  for (const { name } of personas) if (name !== 'nobody' && !people.has(name)) people.set(name, await wallet.logIn());
  for (const person of people.values()) {
    const key = await person.make('keys');
    pool.add('key', key.id);
    pool.add('did', (await person.make('dids', { keyIds: [key.id] })).id);
  }
  return {
    operations,
    personas,
    count,
    source: { random, words: wordsOf(random, pool, peers), idFor: ({ path }) => pool.pick(kindAt(path) ?? '', true) },
    async learn(answers) {
      for (const { operation, persona, sent, answer } of answers) {
        if (answer.status === 201) pool.learn(answer.body, (name) => (name === undefined ? kindAt(operation.path) : undefined));
        const { exchangeId } = /"exchangeId":"(?<exchangeId>[^"]+)"/.exec(answer.body)?.groups ?? {};
        if (exchangeId) pool.add('exchange', exchangeId);
        // Log out is one of the operations.
        const loggedOut = /auth\/logout/.test(sent.target) || answer.status === 401;
        const person = people.get(persona.name);
        if (person && loggedOut && (await person.get('/api/v1/auth/userinfo')).status === 401)
          people.set(persona.name, await wallet.logIn());
      }
    },
  };
}
