// Attacks by providers, and in the name of providers: what they publish, how they name themselves, and how long they take.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { assertOk, assertRefused, isValid } from '../../../../test/support/answers.ts';
import { type ApiAnswer, onDatabase, type TestApi, underAttack, uniqueName } from '../../../../test/support/api.ts';
import { connectProvider, ROOT } from '../../../../test/support/federation.ts';
import { now } from '../../../../test/support/provider-tokens.ts';

const RULES = [{ local: [{ user: { name: '{0}' } }], remote: [{ type: 'preferred_username' }] }];
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
type Claims = Readonly<Record<string, unknown>>;

/** A provider that says whatever a test wants. */
class ScriptedProvider {
  readonly clientId = 'us';
  readonly clientSecret = 'a secret of the tests, long enough';
  readonly id = uniqueName('idp');
  /** After its address, in the name that it gives itself. */
  readonly #ending: string;
  readonly #keys = generateKeyPair('RS256', { extractable: true });
  readonly #server: Server;
  issuer = '';
  /** Keys that it publishes beside its own. */
  more: readonly unknown[] = [];
  slowMs = 0;
  asked = 0;

  constructor(ending = '') {
    this.#ending = ending;
    this.#server = createServer(async (request, response) => {
      const answer = (body: unknown) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
      if (!request.url!.includes('keys')) return answer(this.#metadata());
      this.asked++;
      await new Promise((resolve) => setTimeout(resolve, this.slowMs).unref());
      const own = await exportJWK((await this.#keys).publicKey);
      return answer({ keys: [{ ...own, kid: 'own', alg: 'RS256', use: 'sig' }, ...this.more] });
    });
  }

  #metadata = () => ({
    issuer: this.named,
    authorization_endpoint: `${this.issuer}/authorize`,
    token_endpoint: `${this.issuer}/token`,
    jwks_uri: `${this.issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  });

  get named(): string {
    return this.issuer + this.#ending;
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.issuer = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  publicKey = async (): Promise<string> => exportSPKI((await this.#keys).publicKey);

  claims = (sub: string, more: Claims = {}): Claims => ({
    iss: this.named,
    aud: this.clientId,
    sub,
    iat: now(),
    exp: now() + 300,
    preferred_username: sub,
    ...more,
  });

  async sign(claims: Claims, header: Claims = {}): Promise<string> {
    const jwt = new SignJWT(claims as never).setProtectedHeader({ alg: 'RS256', kid: 'own', ...header });
    return jwt.sign((await this.#keys).privateKey);
  }
}

const send = (api: TestApi, { id }: ScriptedProvider, bearer: string): Promise<ApiAnswer> =>
  api.post(`${ROOT}/identity_providers/${id}/protocols/openid/auth`, undefined, {
    token: null,
    headers: { Authorization: `Bearer ${bearer}` },
  });

async function signOut(api: TestApi, provider: ScriptedProvider, claims: Claims): Promise<void> {
  const { sub: _, ...event } = provider.claims('', { jti: uniqueName('jti'), events: { [EVENT]: {} } });
  const token = await provider.sign({ ...event, ...claims }, { typ: 'logout+jwt' });
  const body = new URLSearchParams({ logout_token: token });
  const answer = await fetch(`${api.url}/openid/providers/${provider.id}/logout`, { method: 'POST', body });
  assert.equal(answer.status, 200, await answer.text());
}

onDatabase('SQLite', 'Keys of a provider', {}, (api) => {
  const [provider, other] = [new ScriptedProvider(), new ScriptedProvider()];
  before(async () => {
    for (const one of [provider, other]) {
      await one.start();
      await connectProvider(api, one, { id: one.id, rules: RULES, settings: { accepts_tokens: true } });
    }
  });
  after(() => {
    provider.stop();
    other.stop();
  });

  it('are no secrets to sign with, and are not those that a token brings along', async () => {
    const sub = uniqueName('ann');
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid: 'own' };
    const signed = (header: Claims, secret: Parameters<SignJWT['sign']>[0]) =>
      new SignJWT(provider.claims(sub) as never).setProtectedHeader({ alg: 'RS256', ...header }).sign(secret);
    const published = new TextEncoder().encode(await provider.publicKey());
    const secret = new Uint8Array(32).fill(7);
    provider.more = [
      { kty: 'oct', k: Buffer.from(secret).toString('base64url'), kid: 'shared', alg: 'HS256' },
      { kty: 'oct', k: '', kid: 'empty' },
      { kty: 'RSA', kid: 'broken', n: '!', e: 'AQAB' },
      { kty: 'RSA', kid: 'broken' },
    ];
    const [, body] = (await provider.sign(provider.claims(sub))).split('.');
    const plain = (header: object): string => Buffer.from(JSON.stringify(header)).toString('base64url');
    const bad: Record<string, string> = {
      'the public key as a secret': await signed({ alg: 'HS256', kid: 'own' }, published),
      'a secret that the provider publishes': await signed({ alg: 'HS256', kid: 'shared' }, secret),
      'a key in the header': await signed({ jwk }, privateKey),
      'a key at an address': await signed({ jku: `${other.issuer}/keys`, x5u: other.issuer }, privateKey),
      'the name of the right key': await signed({ kid: 'own', jwk }, privateKey),
      'a path as the name': await signed({ kid: '../../etc/passwd\0' }, privateKey),
      'a long name': await signed({ kid: 'k'.repeat(3000) }, privateKey),
      'a broken key': await signed({ kid: 'broken' }, privateKey),
      'an extension that nobody knows': await signed({ kid: 'own', crit: ['exp'], exp: 1 }, privateKey).catch(() => 'x.y.z'),
      'no algorithm': `${plain({ alg: 'none', kid: 'own' })}.${body}.`,
      'no algorithm, in capitals': `${plain({ alg: 'NONE', kid: 'own' })}.${body}.`,
      'no header': `.${body}.`,
      'a header that is a list': `${plain(['RS256'])}.${body}.AAAA`,
      'five parts': `${plain({ alg: 'dir', enc: 'A256GCM' })}.${body}.AA.AA.AA`,
    };
    for (const [why, token] of Object.entries(bad)) assert.equal((await send(api, provider, token)).status, 401, why);
    assertOk(await send(api, provider, await provider.sign(provider.claims(sub))), 201);
    provider.more = [];
  });

  it('are its own: another provider with the same name for us signs nothing in its name', async () => {
    const sub = uniqueName('ben');
    const asOther = other.claims(sub);
    for (const [to, claims] of [
      [provider, asOther],
      [provider, { ...asOther, iss: provider.named }],
      [provider, { ...asOther, iss: [provider.named, other.named] }],
      [provider, { ...asOther, iss: `${provider.named}//` }],
      [provider, { ...asOther, iss: `${provider.named}/../` }],
    ] as const)
      assertRefused(await send(api, to, await other.sign(claims)), 401);
    // The same subject at two providers is two people.
    const users = await Promise.all(
      [provider, other].map(async (one) => assertOk(await send(api, one, await one.sign(one.claims(sub))), 201).token.user.id),
    );
    assert.equal(new Set(users).size, 2);
    // One of them signs out: nobody of the other.
    const token = (await send(api, provider, await provider.sign(provider.claims(sub)))).headers.get('x-subject-token')!;
    await signOut(api, other, { sub });
    assert.ok(await isValid(api, token));
  });

  it('are no keys: then nobody is refused for a wrong token, and the provider is not asked for each', async () => {
    const broken = await new ScriptedProvider().start();
    await connectProvider(api, broken, { id: broken.id, rules: RULES, settings: { accepts_tokens: true } });
    broken.more = [null];
    try {
      const token = await broken.sign(broken.claims(uniqueName('fay')));
      for (let i = 0; i < 10; i++) assert.equal((await send(api, broken, token)).status, 503);
      assert.ok(broken.asked < 5, `asked ${broken.asked} times`);
      broken.more = [];
      await new Promise((resolve) => setTimeout(resolve, 1100));
      assertOk(await send(api, broken, token), 201);
    } finally {
      broken.stop();
    }
  });

  it('are asked for once, however many names of keys are made up', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    const before = provider.asked;
    for (let i = 0; i < 20; i++) {
      const token = await new SignJWT(provider.claims('x') as never)
        .setProtectedHeader({ alg: 'RS256', kid: `k${i}` })
        .sign(privateKey);
      assertRefused(await send(api, provider, token), 401);
    }
    assert.ok(provider.asked <= before + 1, `asked ${provider.asked - before} times`);
  });

  it('may be missing, slow or far too many, and others are served meanwhile', async () => {
    const [slow, huge] = [new ScriptedProvider(), new ScriptedProvider()];
    for (const one of [slow, huge]) {
      await one.start();
      await connectProvider(api, one, { id: one.id, rules: RULES, settings: { accepts_tokens: true } });
    }
    slow.slowMs = 60_000;
    huge.more = Array.from({ length: 5000 }, (_, i) => ({ kty: 'RSA', kid: `k${i}`, n: 'x'.repeat(340), e: 'AQAB' }));
    try {
      const waiting = Promise.all(
        Array.from({ length: 20 }, async () => send(api, slow, await slow.sign(slow.claims(uniqueName('cid'))))),
      );
      const began = performance.now();
      assertOk(await send(api, provider, await provider.sign(provider.claims(uniqueName('dot')))), 201);
      assert.ok(performance.now() - began < 2000);
      const answer = await send(api, huge, await huge.sign(huge.claims(uniqueName('eve'))));
      assert.equal(answer.status, 503, answer.text);
      for (const { status, text } of await waiting) assert.equal(status, 503, text);
      assert.ok(performance.now() - began < 15_000);
      assert.ok(slow.asked < 5, `asked ${slow.asked} times`);
    } finally {
      slow.stop();
      huge.stop();
    }
  });
});

underAttack('A provider whose name ends with a slash', (api) => {
  const provider = new ScriptedProvider('/');
  before(async () => {
    await provider.start();
    await connectProvider(api, provider, { id: provider.id, rules: RULES, settings: { accepts_tokens: true } });
  });
  after(() => provider.stop());

  for (const [who, isNamed] of [
    ['that an administrator named in advance', true],
    ['that came by themselves', false],
  ] as const)
    for (const [what, logout] of [
      ['the person', (sub: string, _sid: string) => ({ sub })],
      ['the session', (_sub: string, sid: string) => ({ sid })],
      ['both', (sub: string, sid: string) => ({ sub, sid })],
    ] as const)
      it(`signs out people ${who}, by ${what}`, async () => {
        const [sub, sid] = [uniqueName('ann'), uniqueName('sid')];
        const federated = [{ idp_id: provider.id, protocols: [{ protocol_id: 'openid', unique_id: sub }] }];
        if (isNamed) assertOk(await api.post('/v3/users', { user: { name: uniqueName('user'), federated } }), 201);
        const bearer = await provider.sign(provider.claims(sub, { sid }));
        const entered = await send(api, provider, bearer);
        assertOk(entered, 201);
        const token = entered.headers.get('x-subject-token')!;
        assert.ok(await isValid(api, token));
        await signOut(api, provider, logout(sub, sid));
        assert.ok(!(await isValid(api, token)), 'a token of a session that ended');
        assertRefused(await send(api, provider, bearer), 401);
      });

  it('leaves nobody signed in who logs in while they are signed out', async () => {
    for (let round = 0; round < 5; round++) {
      const [sub, sid] = [uniqueName('ann'), uniqueName('sid')];
      const bearers = [await provider.sign(provider.claims(sub, { sid })), await provider.sign(provider.claims(sub))];
      const logIns = () => bearers.flatMap((bearer) => [send(api, provider, bearer), send(api, provider, bearer)]);
      if (round % 2) assertOk(await send(api, provider, bearers[0]!), 201);
      const [first, , second] = await Promise.all([
        Promise.all(logIns()),
        signOut(api, provider, round % 3 ? { sub } : { sub, sid }),
        Promise.all(logIns()),
      ]);
      for (const { status, headers, text } of [...first, ...second]) {
        assert.ok([201, 401].includes(status), text);
        if (status === 201) assert.ok(!(await isValid(api, headers.get('x-subject-token')!)), `round ${round}`);
      }
      for (const bearer of bearers) assertRefused(await send(api, provider, bearer), 401);
    }
  });
});
