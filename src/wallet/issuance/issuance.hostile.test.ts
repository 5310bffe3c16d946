// Issuers and offers with exactly one fault. Each is refused with its own error, and nothing is stored.
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { certify } from '../../../test/support/certificates.ts';
import {
  credentialIds,
  EXCHANGES,
  issuedCredentials,
  keysOf,
  onEachWalletWithIssuer,
  VCI,
} from '../../../test/support/issuance.ts';
import { type CredentialDraft, disclosure } from '../../../test/support/toy-credential.ts';
import type { IssuerReply, IssuerTwist } from '../../../test/support/toy-issuer.ts';
import type { WalletUser } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';
import { EVERYONE, readAs } from '../access/index.ts';

interface Case {
  readonly name: string;
  readonly status: number;
  readonly code: string;
  /** What was wrong with the credential. */
  readonly reason?: string;
  readonly twist?: IssuerTwist;
  /** Instead of an honest offer. */
  readonly body?: object;
  readonly count?: number;
  readonly configurations?: readonly string[];
}

const attacker = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const attackerJwk = attacker.publicKey.export({ format: 'jwk' });
const proto = (value: unknown) => JSON.parse(`{"__proto__":${JSON.stringify(value)}}`) as Record<string, unknown>;
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const onReply = (at: string, change: (reply: IssuerReply & { body: any }) => void): IssuerTwist => ({
  reply: (endpoint, reply) => void (endpoint === at && change(reply as never)),
});
const inBody = (at: string, values: object): IssuerTwist => onReply(at, ({ body }) => void Object.assign(body, values));
const inDraft = (change: (draft: CredentialDraft) => void): IssuerTwist => ({ credential: change });
const inPayload = (values: object): IssuerTwist => inDraft(({ payload }) => void Object.assign(payload, values));
const inHeader = (values: object): IssuerTwist => inDraft(({ header }) => void Object.assign(header, values));
/** The JWT alone; disclosures stay. */
const inJwt = (change: (header: any, payload: any, signature: string) => string): IssuerTwist => ({
  text(credential) {
    const [jwt = '', ...rest] = credential.split('~');
    const [header = '', payload = '', signature = ''] = jwt.split('.');
    const read = (text: string): unknown => JSON.parse(Buffer.from(text, 'base64url').toString());
    return [change(read(header), read(payload), signature), ...rest].join('~');
  },
});
const redirects = (at: string): IssuerTwist => ({
  raw(endpoint, _request, response) {
    if (endpoint !== at) return false;
    response.writeHead(307, { Location: '/caught', 'Content-Type': 'application/json' }).end('{}');
    return true;
  },
});
const endless = (at: string): IssuerTwist => ({
  raw(endpoint, _request, response) {
    if (endpoint !== at) return false;
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.write('{"a":"');
    const chunk = 'x'.repeat(65_536);
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more).on('error', () => undefined);
    more();
    return true;
  },
});
const html = (at: string): IssuerTwist =>
  onReply(at, (reply) => void Object.assign(reply, { headers: { 'Content-Type': 'text/html' }, body: '<b>Hello</b>' }));
/** One of several copies is another one. */
const inSecond = (change: (draft: CredentialDraft, first: CredentialDraft) => void): IssuerTwist => {
  let first: CredentialDraft | undefined;
  return inDraft((draft) => {
    if (first) change(draft, first);
    else first = structuredCloneOf(draft);
  });
};
const structuredCloneOf = (draft: CredentialDraft): CredentialDraft => ({ ...draft, payload: { ...draft.payload } });

const deep = (levels: number): unknown => {
  let value: unknown = 'evil';
  for (let level = 0; level < levels; level++) value = { x: value };
  return value;
};

onEachWalletWithIssuer('Hostile issuers', (wallet, issuer) => {
  const offer = (change: (offer: any) => void): object => {
    const made = issuer.offerObject();
    change(made);
    return { offer: made };
  };
  const byUri = (query: Record<string, string> | [string, string][]): object => ({
    uri: `openid-credential-offer://?${new URLSearchParams(query)}`,
  });
  const rows = async (): Promise<unknown> => {
    const db = await wallet.database();
    try {
      return await readAs(db, EVERYONE, async (reader) => [
        (await reader.selectFrom('credentials').select('id').execute()).length,
        (await reader.selectFrom('credential_instances').select('id').execute()).length,
      ]);
    } finally {
      await db.close();
    }
  };

  /** Refused so, with nothing kept, nothing made, and nobody else called. */
  async function refused(person: WalletUser, one: Case): Promise<any> {
    const keys = (await keysOf(person)).length;
    const before = await rows();
    issuer.twist = one.twist ?? {};
    const { configurations } = one;
    const body = one.body ?? { uri: issuer.offer(configurations ? { configurations } : {}) };
    const answer = await person.post(VCI, one.count ? { ...body, count: one.count } : body);
    const problem = assertProblem(answer, one.status, one.code);
    if (one.reason) assert.deepEqual(problem.reasons, [one.reason], answer.text);
    assert.deepEqual(await credentialIds(person), []);
    assert.deepEqual(await rows(), before);
    if (!one.count) assert.equal((await keysOf(person)).length, keys, 'no key is made for it');
    assert.equal(issuer.asked('none').length, 0, 'nobody goes where a redirect leads');
    assert.ok(!/"d":|PRIVATE KEY/.test(JSON.stringify(issuer.seen)), 'no private key leaves');
    assert.ok(!/evil|Lovelace|Hello/.test(answer.text), answer.text);
    if (problem.exchangeId) {
      const { state, outcome } = (await person.get(`${EXCHANGES}/${problem.exchangeId}`)).body;
      assert.deepEqual([state, outcome], ['failed', one.code]);
      assert.equal(problem.steps.at(-1).error, one.code);
    }
    return problem;
  }

  function each(title: string, cases: () => readonly Case[]): void {
    describe(title, () => {
      // The address of the issuer is known when it runs: names are read now, everything else then.
      cases().forEach(({ name }, at) => {
        it(name, async () => {
          const person = await wallet.logIn();
          await person.make('keys');
          await refused(person, cases()[at]!);
        });
      });
    });
  }

  const invalid = { status: 422, code: 'invalid-offer' };
  const upstream = { status: 502, code: 'upstream-error' };
  const blocked = { status: 403, code: 'blocked-address' };
  const rejects = (reason: string) => ({ status: 422, code: 'credential-rejected', reason });

  each('an offer', () => [
    {
      name: 'by value and by reference',
      ...invalid,
      body: byUri({ credential_offer: '{}', credential_offer_uri: 'https://a.example' }),
    },
    { name: 'by neither', ...invalid, body: byUri({ offer: '{}' }) },
    {
      name: 'given twice',
      ...invalid,
      body: byUri([
        ['credential_offer', JSON.stringify(issuer.offerObject())],
        ['credential_offer', '{}'],
      ]),
    },
    { name: 'that is not JSON', ...invalid, body: byUri({ credential_offer: 'evil' }) },
    { name: 'that is not an offer', ...invalid, body: byUri({ credential_offer: '[1]' }) },
    { name: 'of nothing', ...invalid, body: offer((one) => void Object.assign(one, { credential_configuration_ids: [] })) },
    {
      name: 'of one thing twice',
      ...invalid,
      body: offer((one) => void Object.assign(one, { credential_configuration_ids: ['identity', 'identity'] })),
    },
    {
      name: 'of what the issuer does not know',
      ...invalid,
      body: offer((one) => void Object.assign(one, { credential_configuration_ids: ['secrets'] })),
    },
    {
      name: 'of what every object has',
      ...invalid,
      body: offer((one) => void Object.assign(one, { credential_configuration_ids: ['constructor'] })),
    },
    {
      name: 'at the address of cloud metadata',
      ...blocked,
      body: byUri({ credential_offer_uri: 'http://169.254.169.254/latest' }),
    },
    { name: 'in a private network', ...blocked, body: byUri({ credential_offer_uri: 'https://10.0.0.1/offer' }) },
    { name: 'in a file', ...blocked, body: byUri({ credential_offer_uri: 'file:///etc/passwd' }) },
    {
      name: 'of an issuer in a private network',
      ...blocked,
      body: offer((one) => void Object.assign(one, { credential_issuer: 'https://10.0.0.1' })),
    },
    { name: 'that is somewhere else', ...upstream, twist: redirects('offer'), body: { uri: issuer.offer({}, 'reference') } },
    { name: 'that does not end', ...upstream, twist: endless('offer'), body: { uri: issuer.offer({}, 'reference') } },
    { name: 'that is a page', ...upstream, twist: html('offer'), body: { uri: issuer.offer({}, 'reference') } },
    {
      name: 'that names a server the issuer does not',
      ...upstream,
      body: offer(
        ({ grants }) => void Object.assign(Object.values(grants)[0]!, { authorization_server: 'https://evil.example' }),
      ),
    },
  ]);

  each('metadata', () => [
    { name: 'of another issuer', ...upstream, twist: inBody('metadata', { credential_issuer: 'https://evil.example' }) },
    { name: 'that are somewhere else', ...upstream, twist: redirects('metadata') },
    { name: 'that do not end', ...upstream, twist: endless('metadata') },
    { name: 'that are too large', ...upstream, twist: inBody('metadata', { display: [{ name: 'x'.repeat(2_000_000) }] }) },
    { name: 'that are a page', ...upstream, twist: html('metadata') },
    { name: 'that are missing', ...upstream, twist: onReply('metadata', (reply) => void Object.assign(reply, { status: 404 })) },
    { name: 'of a server that is another one', ...upstream, twist: inBody('server', { issuer: 'https://evil.example' }) },
    {
      name: 'of a server in a private network',
      ...blocked,
      twist: inBody('metadata', { authorization_servers: ['https://10.0.0.1'] }),
    },
    {
      name: 'with a token endpoint in a private network',
      ...blocked,
      twist: inBody('server', { token_endpoint: 'https://10.0.0.1/t' }),
    },
    {
      name: 'with a nonce endpoint in a private network',
      ...blocked,
      twist: inBody('metadata', { nonce_endpoint: 'https://10.0.0.1/n' }),
    },
    {
      name: 'with a credential endpoint in a private network',
      ...blocked,
      twist: inBody('metadata', { credential_endpoint: 'https://10.0.0.1/c' }),
    },
    {
      name: 'that are nested beyond reason',
      ...upstream,
      twist: onReply('metadata', (reply) => {
        const identity = reply.body.credential_configurations_supported.identity;
        identity.credential_metadata = { display: [{ name: 'Identity', x: deep(3000) }] };
      }),
    },
    {
      name: 'whose type has a NUL, as that of the credential has',
      ...upstream,
      twist: {
        ...onReply('metadata', ({ body }) => {
          body.credential_configurations_supported.identity.vct = 'https://example.org/a\0b';
        }),
        ...inPayload({ vct: 'https://example.org/a\0b' }),
      },
    },
    {
      name: 'whose type is longer than any name, as that of the credential is',
      ...rejects('malformed'),
      twist: {
        ...onReply('metadata', ({ body }) => {
          body.credential_configurations_supported.identity.vct = `https://example.org/${'a'.repeat(5000)}`;
        }),
        ...inPayload({ vct: `https://example.org/${'a'.repeat(5000)}` }),
      },
    },
    {
      name: 'with a format of a name every object has',
      status: 422,
      code: 'unsupported-format',
      twist: onReply(
        'metadata',
        ({ body }) => void Object.assign(body.credential_configurations_supported.identity, { format: 'constructor' }),
      ),
    },
  ]);

  each('an answer that it will come later', () => [
    {
      name: 'from an issuer that cannot be asked again',
      ...upstream,
      twist: {
        reply(endpoint, reply) {
          if (endpoint === 'metadata') delete reply.body.deferred_credential_endpoint;
          if (endpoint === 'credential') Object.assign(reply, { status: 202, body: { transaction_id: 'x', interval: 5 } });
        },
      },
    },
  ]);

  each('a token answer', () => [
    { name: 'that is somewhere else', ...upstream, twist: redirects('token') },
    { name: 'that does not end', ...upstream, twist: endless('token') },
    { name: 'that is a page', ...upstream, twist: html('token') },
    { name: 'without a token', ...upstream, twist: inBody('token', { access_token: undefined }) },
    { name: 'whose token is of a type nobody knows', ...upstream, twist: inBody('token', { token_type: 'mac' }) },
    { name: 'whose token is of no type', ...upstream, twist: inBody('token', { token_type: '' }) },
    { name: 'whose token is no text', ...upstream, twist: inBody('token', { access_token: { evil: 1 } }) },
    {
      name: 'that says its code is spent',
      status: 422,
      code: 'offer-spent',
      twist: onReply('token', (reply) => void Object.assign(reply, { status: 400, body: { error: 'invalid_grant' } })),
    },
    {
      name: 'that colours our terminal',
      ...upstream,
      twist: onReply(
        'token',
        (reply) =>
          void Object.assign(reply, { status: 400, body: { error: 'invalid_request', error_description: 'evil\u001b[31m\n' } }),
      ),
    },
    {
      name: 'without a nonce after it',
      ...upstream,
      twist: onReply('nonce', (reply) => void Object.assign(reply, { body: {} })),
    },
  ]);

  each('a credential answer', () => [
    { name: 'that is somewhere else', ...upstream, twist: redirects('credential') },
    { name: 'that does not end', ...upstream, twist: endless('credential') },
    { name: 'that is a page', ...upstream, twist: html('credential') },
    { name: 'that is a list', ...upstream, twist: onReply('credential', (reply) => void Object.assign(reply, { body: [] })) },
    {
      name: 'whose error is a story',
      ...upstream,
      twist: onReply(
        'credential',
        (reply) => void Object.assign(reply, { status: 400, body: { error: 'evil\u001b[31m words' } }),
      ),
    },
    {
      name: 'that says no',
      status: 422,
      code: 'issuance-denied',
      twist: onReply(
        'credential',
        (reply) => void Object.assign(reply, { status: 400, body: { error: 'credential_request_denied' } }),
      ),
    },
    { name: 'without credentials', status: 422, code: 'credential-rejected', twist: inBody('credential', { credentials: [] }) },
    {
      name: 'with more than were asked for',
      ...rejects('too-many'),
      twist: onReply('credential', ({ body }) => void body.credentials.push(body.credentials[0])),
    },
    {
      name: 'with more than anybody asks for',
      status: 422,
      code: 'credential-rejected',
      twist: inBody('credential', { credentials: Array.from({ length: 101 }, () => ({ credential: 'x' })) }),
    },
    { name: 'with nothing in it', ...rejects('malformed'), twist: inBody('credential', { credentials: [{ credential: null }] }) },
    {
      name: 'with an object in it',
      ...rejects('malformed'),
      twist: inBody('credential', { credentials: [{ credential: { a: 1 } }] }),
    },
    {
      name: 'with a transaction of endless name',
      status: 422,
      code: 'credential-rejected',
      twist: onReply('credential', (reply) => void Object.assign(reply, { body: { transaction_id: 'x'.repeat(5000) } })),
    },
  ]);

  each('a credential', () => [
    { name: 'for another key', ...rejects('wrong-binding'), twist: inPayload({ cnf: { jwk: attackerJwk } }) },
    { name: 'for another DID', ...rejects('wrong-binding'), twist: inPayload({ cnf: { kid: 'did:web:evil.example#1' } }) },
    { name: 'for nobody, where a key was proved', ...rejects('wrong-binding'), twist: inPayload({ cnf: undefined }) },
    {
      name: 'for somebody, where no key was proved',
      ...rejects('wrong-binding'),
      twist: inPayload({ cnf: { jwk: attackerJwk } }),
      configurations: ['ticket'],
    },
    { name: 'with a NUL in a claim', ...rejects('malformed'), twist: inPayload({ given_name: 'evil\0' }) },
    { name: 'of another type', ...rejects('wrong-type'), twist: inPayload({ vct: 'https://example.org/evil' }) },
    { name: 'of another format', ...rejects('malformed'), twist: { text: (text) => text.split('~', 1)[0] } },
    { name: 'that is a presentation', ...rejects('malformed'), twist: { text: (text) => `${text}${text.split('~', 1)[0]}` } },
    { name: 'that has expired', ...rejects('expired'), twist: inPayload({ exp: Math.floor(wallet.clock.now() / 1000) - 100 }) },
    {
      name: 'from the future',
      ...rejects('invalid-times'),
      twist: inPayload({ iat: Math.floor(wallet.clock.now() / 1000) + 1000 }),
    },
    {
      name: 'with a broken signature',
      ...rejects('invalid-signature'),
      twist: inJwt((header, payload, signature) => `${part(header)}.${part(payload)}.${'A'.repeat(10)}${signature.slice(10)}`),
    },
    {
      name: 'that was changed after it was signed',
      ...rejects('invalid-signature'),
      twist: inJwt((header, payload, signature) => `${part(header)}.${part({ ...payload, admin: true })}.${signature}`),
    },
    {
      name: 'without a signature',
      ...rejects('malformed'),
      twist: inJwt((header, payload) => `${part({ ...header, alg: 'none' })}.${part(payload)}.`),
    },
    {
      name: 'that calls its signature none',
      ...rejects('invalid-signature'),
      twist: inJwt((header, payload, signature) => `${part({ ...header, alg: 'none' })}.${part(payload)}.${signature}`),
    },
    {
      name: 'signed with what everybody knows',
      ...rejects('invalid-signature'),
      twist: inJwt((header, payload) => {
        const input = `${part({ ...header, alg: 'HS256' })}.${part(payload)}`;
        const pem = issuer.key.publicKey.export({ type: 'spki', format: 'pem' });
        return `${input}.${createHmac('sha256', pem).update(input).digest('base64url')}`;
      }),
    },
    { name: 'of a key its issuer does not publish', ...rejects('issuer-key'), twist: inHeader({ kid: 'two' }) },
    {
      name: 'whose issuer publishes for another one',
      ...rejects('issuer-key'),
      twist: inBody('keys', { issuer: 'https://evil.example' }),
    },
    { name: 'whose issuer publishes nothing', ...rejects('issuer-key'), twist: inBody('keys', { jwks: { keys: [] } }) },
    { name: 'whose issuer publishes elsewhere', ...upstream, twist: redirects('keys') },
    {
      name: 'whose keys are in a private network',
      ...upstream,
      twist: inBody('keys', { jwks: undefined, jwks_uri: 'https://10.0.0.1/keys' }),
    },
    {
      name: 'that brings its own key',
      ...rejects('invalid-signature'),
      twist: inDraft(
        (draft) => void Object.assign(draft, { key: attacker.privateKey, header: { ...draft.header, jwk: attackerJwk } }),
      ),
    },
    {
      name: 'that brings its own certificate',
      status: 422,
      code: 'untrusted-issuer',
      twist: inDraft((draft) => {
        const { der, key } = certify({ name: 'CN=Me' });
        Object.assign(draft, { key, header: { ...draft.header, x5c: [der] } });
      }),
    },
    { name: 'that does not say what it is', ...rejects('wrong-type'), twist: inHeader({ typ: undefined }) },
    { name: 'that is another JWT', ...rejects('wrong-type'), twist: inHeader({ typ: 'kb+jwt' }) },
    {
      name: 'with a digest twice',
      ...rejects('malformed'),
      twist: inDraft((draft) => void Object.assign(draft, { digests: (all: string[]) => [...all, all[0]!] })),
    },
    {
      name: 'with a disclosure of nothing',
      ...rejects('malformed'),
      twist: { text: (text) => `${text}${disclosure('admin', true)}~` },
    },
    {
      name: 'with a disclosure twice',
      ...rejects('malformed'),
      twist: { text: (text) => `${text}${text.split('~')[1]}~` },
    },
    {
      name: 'whose binding can be held back',
      ...rejects('malformed'),
      twist: inDraft(({ payload, disclosures }) => {
        disclosures.cnf = payload.cnf;
        delete payload.cnf;
      }),
    },
    {
      name: 'whose end can be held back',
      ...rejects('malformed'),
      twist: inDraft(({ payload, disclosures }) => {
        disclosures.exp = payload.exp;
        delete payload.exp;
      }),
    },
    {
      name: 'that reaches for prototypes',
      ...rejects('malformed'),
      twist: inDraft((draft) => void Object.assign(draft, { payload: { ...draft.payload, a: proto({ polluted: 1 }) } })),
    },
    {
      name: 'that reaches for prototypes in a disclosure',
      ...rejects('malformed'),
      twist: inDraft((draft) => void Object.assign(draft, { disclosures: proto({ polluted: 1 }) })),
    },
    {
      name: 'one of whose copies says something else',
      ...rejects('mixed'),
      count: 2,
      twist: inSecond((draft) => void Object.assign(draft.disclosures, { given_name: 'Eve' })),
    },
    {
      name: 'two of whose copies have one key',
      ...rejects('wrong-binding'),
      count: 2,
      twist: inSecond(({ payload }, first) => void Object.assign(payload, { cnf: first.payload.cnf })),
    },
    {
      name: 'one of whose copies is of another type',
      ...rejects('wrong-type'),
      count: 2,
      twist: inSecond(({ payload }) => void Object.assign(payload, { vct: 'https://example.org/evil' })),
    },
  ]);

  it('leaves no prototype changed', () => assert.equal('polluted' in {}, false));

  describe('when a credential is refused', () => {
    it('tells the issuer, about everything it sent', async () => {
      const person = await wallet.logIn();
      let count = 0;
      const configurations = ['identity', 'membership'];
      await refused(person, {
        ...rejects('wrong-binding'),
        name: 'the second of two',
        configurations,
        count: 1,
        twist: inDraft(({ payload }) => void (count++ === 1 && Object.assign(payload, { cnf: { jwk: attackerJwk } }))),
      });
      assert.deepEqual(
        issuer.notifications.map(({ event }) => event),
        ['credential_failure', 'credential_failure'],
      );
    });

    it('does not need the issuer to listen', async () => {
      const person = await wallet.logIn();
      const expired = inPayload({ exp: 1 });
      const deaf = onReply('notification', (reply) => void Object.assign(reply, { status: 500 }));
      await refused(person, { ...rejects('expired'), name: 'deaf', count: 1, twist: { ...expired, ...deaf } });
    });
  });

  describe('what comes later', () => {
    async function later(twist: IssuerTwist, status: number, code: string): Promise<any> {
      const person = await wallet.logIn();
      const { exchangeId } = (await person.post(VCI, { uri: issuer.offer({ deferred: true }) })).body;
      issuer.ready = true;
      issuer.twist = twist;
      const problem = assertProblem(await person.post(VCI, { exchangeId }), status, code);
      assert.deepEqual(await credentialIds(person), []);
      assertProblem(await person.post(VCI, { exchangeId }), 409, 'exchange-finished', /failed/);
      return problem;
    }

    it('must be for the key that was proved', async () => {
      const problem = await later(inPayload({ cnf: { jwk: attackerJwk } }), 422, 'credential-rejected');
      assert.deepEqual(problem.reasons, ['wrong-binding']);
      assert.equal(issuer.notifications[0]!.event, 'credential_failure');
    });

    it('must be about the transaction that was asked for', async () => {
      const other = onReply(
        'deferred',
        (reply) => void Object.assign(reply, { status: 202, body: { transaction_id: 'other', interval: 1 } }),
      );
      await later(other, 502, 'upstream-error');
    });

    it('is refused by the node as well, when nobody is there', async () => {
      const person = await wallet.logIn();
      const { exchangeId } = (await person.post(VCI, { uri: issuer.offer({ deferred: true }) })).body;
      issuer.ready = true;
      issuer.twist = inPayload({ vct: 'https://example.org/evil' });
      wallet.clock.advance(6);
      await wallet.service.sweep();
      const { state, outcome } = (await person.get(`${EXCHANGES}/${exchangeId}`)).body;
      assert.deepEqual([state, outcome], ['failed', 'credential-rejected']);
      assert.deepEqual(await credentialIds(person), []);
    });

    it('is asked for within bounds, whatever interval the issuer names', async () => {
      for (const [interval, retryAfter] of [
        [1e12, 7 * 24 * 3600],
        [-5, 60],
        ['soon', 60],
        [0.5, 1],
      ]) {
        const person = await wallet.logIn();
        issuer.twist = inBody('credential', { interval });
        const answer = await person.post(VCI, { uri: issuer.offer({ deferred: true }) });
        assert.deepEqual([answer.status, answer.body.retryAfter], [202, retryAfter]);
      }
    });
  });

  it('takes the credential and forgets a notification id that is no name', async () => {
    const person = await wallet.logIn();
    issuer.twist = inBody('credential', { notification_id: 'x'.repeat(900_000) });
    issuedCredentials(await person.post(VCI, { uri: issuer.offer() }));
    assert.deepEqual(issuer.notifications, []);
  });

  it('does not repeat what an issuer says beyond the words of the protocol', async () => {
    const person = await wallet.logIn();
    const error = { error: 'invalid_request', error_description: 'Come back tomorrow.' };
    const problem = await refused(person, {
      ...upstream,
      name: 'polite',
      count: 1,
      twist: onReply('token', (reply) => void Object.assign(reply, { status: 400, body: { ...error, more: 'evil' } })),
    });
    assert.deepEqual(problem.protocol, { ...error, endpoint: 'token' });
  });

  it('whose token type is written in another case is understood', async () => {
    const person = await wallet.logIn();
    for (const type of ['bearer', 'BEARER']) {
      issuer.twist = inBody('token', { token_type: type });
      issuedCredentials(await person.post(VCI, { uri: issuer.offer() }));
    }
  });

  it('that refers to a status nobody can read does not make its credential a valid one', async () => {
    const person = await wallet.logIn();
    for (const status of [null, {}, { status_list: { idx: '1', uri: `${issuer.url}/list` } }, { status_list: { idx: 1 } }]) {
      issuer.twist = inPayload({ status });
      const [credential] = issuedCredentials(await person.post(VCI, { uri: issuer.offer() }));
      assert.equal(credential.status, 'unknown', JSON.stringify(status));
      const refreshed = await person.get('/api/v1/wallet/credentials?refreshStatus=true');
      assert.ok(refreshed.body.every((one: { status: string }) => one.status === 'unknown'));
    }
  });
});
