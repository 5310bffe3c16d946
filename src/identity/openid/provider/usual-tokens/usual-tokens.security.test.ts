// Usual requests for tokens are answered beside the library, as the library answers. Each request is sent to both: a parameter that the library ignores
// leads past us. What we do not answer is refused by the library, and nothing is used up before.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as client from 'openid-client';
import { onBothDatabases, type TestApi, underAttack } from '../../../../../test/support/api.ts';
import { send } from '../../../../../test/support/http.ts';
import { CALLBACK, makeUser, RelyingParty } from '../../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../../test/support/restartable-api.ts';
import { TestBrowser } from '../../../../../test/support/test-browser.ts';
import { whenAt } from '../../../../../test/support/test-points.ts';
import type { Database } from '../../../ground/database/index.ts';
import { actAt } from '../../../ground/test-points.ts';

const FORM = 'application/x-www-form-urlencoded';
type Form = Readonly<Record<string, string>>;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: any;
  /** Not the library's. */
  readonly isOurs: boolean;
}

const basic = ({ application: { id, secret } }: RelyingParty): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

const PAST_US = { beside: '1' };

async function ask(
  api: TestApi,
  party: RelyingParty,
  form: Form | string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  let isOurs = false;
  const takeBack = actAt('usual-tokens.before-issue', async () => {
    isOurs = true;
  });
  const answer = await send(`${api.url}/openid/token`, {
    method: 'POST',
    headers: { Authorization: basic(party), 'Content-Type': FORM, ...headers },
    body: String(typeof form === 'string' ? form : new URLSearchParams(form)),
  });
  takeBack();
  const { date: _, 'x-openstack-request-id': __, ...others } = Object.fromEntries(answer.headers);
  const body = (await answer.json()) as object;
  return { status: answer.status, headers: others, body, isOurs };
}

const partsOf = (jwt: string): object[] =>
  jwt
    .split('.', 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>)
    .map(({ iat, exp, ...others }) => ({ ...others, ...(exp === undefined ? {} : { lifetime: Number(exp) - Number(iat) }) }));

/** What two answers have in common. */
function comparable({ status, headers: { 'content-length': _, ...headers }, body }: Answer) {
  const { access_token: token, refresh_token: refresh, id_token: idToken, ...others } = body;
  const lengths = [token?.length, refresh?.length];
  return { status, headers, others, names: Object.keys(body), lengths, idToken: idToken && partsOf(idToken) };
}

/** What is stored of an application, by the hashes: which of it two requests leave behind is the same. */
async function stored(api: TestApi, db: Database, { application }: RelyingParty): Promise<Map<string, object>> {
  const rows = await db.read.selectFrom('openid_records').where('consumer_id', '=', application.id).selectAll().execute();
  return new Map(
    rows.map(({ id, payload, created_at: from, expires_at: end, consumed_at: used, ...row }) => {
      const { iat, exp, iiat, jti, ...said } = JSON.parse(api.open(payload, `openid_records/${id}`)) as Record<string, unknown>;
      const kept = { length: String(jti).length, lifetime: Number(exp) - Number(iat), hasFirst: iiat !== undefined };
      return [id, { ...row, ...kept, said, lasts: Number(end) - Number(from), isUsed: used !== null }];
    }),
  );
}

const isSame = (one: object | undefined, other: object): boolean => JSON.stringify(one) === JSON.stringify(other);

async function left(api: TestApi, db: Database, party: RelyingParty, request: () => Promise<Answer>) {
  const before = await stored(api, db, party);
  const answer = await request();
  const after = await stored(api, db, party);
  const changed = [...after]
    .filter(([id, row]) => !isSame(before.get(id), row))
    .map(([, row]) => row as { model: string; isUsed: boolean });
  const order = ({ model, isUsed }: (typeof changed)[number]): string => `${model} ${isUsed}`;
  changed.sort((one, other) => (order(one) < order(other) ? -1 : 1));
  return { answer, changed, gone: [...before.keys()].filter((id) => !after.has(id)).length };
}

interface Asked {
  readonly application?: Record<string, unknown>;
  readonly scope?: string;
  readonly parameters?: Record<string, string | undefined>;
}

/** A person who signed in to an application, and gets codes there. */
async function scene(api: TestApi, { application = {}, scope = 'openid', parameters = {} }: Asked = {}) {
  const [person, party, browser] = [await makeUser(api), await RelyingParty.make(api, application), new TestBrowser(api)];
  const verifier = client.randomPKCECodeVerifier();
  const challenge = await client.calculatePKCECodeChallenge(verifier);
  const query = {
    ...{ scope, redirect_uri: CALLBACK, nonce: 'n', code_challenge: challenge, code_challenge_method: 'S256' },
    ...parameters,
  };
  const asked = Object.entries({ ...query, ...(scope.includes('offline') ? { prompt: 'consent' } : {}) });
  const url = client.buildAuthorizationUrl(
    party.config,
    asked.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])) as [string, string][] as never,
  );
  const isProved = query.code_challenge !== undefined;
  /** The form that redeems another code. */
  const form = async (): Promise<Form> => {
    const page = await browser.signIn(url, person);
    const code = page.redirectTarget?.searchParams.get('code');
    assert.ok(code, String(page.redirectTarget));
    return { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, ...(isProved ? { code_verifier: verifier } : {}) };
  };
  return { person, party, browser, form };
}

const byRefreshToken = (token: string): Form => ({ grant_type: 'refresh_token', refresh_token: token });

onBothDatabases('Usual requests for tokens', (api) => {
  const db = usesDatabaseOf(api);

  /** Both answer the same, and leave the same behind. Returns both answers. */
  async function both(
    party: RelyingParty,
    [ours, theirs]: readonly [Form, Form],
    what: string,
    isOurs = true,
  ): Promise<[Answer, Answer]> {
    const [one, other] = [
      await left(api, db(), party, () => ask(api, party, ours)),
      await left(api, db(), party, () => ask(api, party, { ...theirs, ...PAST_US })),
    ];
    assert.deepEqual([one.answer.isOurs, other.answer.isOurs], [isOurs, false], `${what}: ${JSON.stringify(one.answer.body)}`);
    assert.deepEqual(comparable(one.answer), comparable(other.answer), what);
    assert.deepEqual(one.changed, other.changed, what);
    return [one.answer, other.answer];
  }

  const usual: Readonly<Record<string, Asked>> = {
    'openid alone': {},
    'without a nonce': { parameters: { nonce: undefined } },
    'without PKCE': { parameters: { code_challenge: undefined, code_challenge_method: undefined } },
    'several scopes': { scope: 'email openid profile roles' },
    'for later': { scope: 'openid profile offline_access' },
    all_info: { scope: 'openid all_info' },
    ES256: { application: { id_token_signed_response_alg: 'ES256' }, scope: 'openid offline_access' },
    EdDSA: { application: { id_token_signed_response_alg: 'EdDSA' } },
    'shorter lives': { application: { access_token_lifetime: 60, refresh_token_lifetime: 120 }, scope: 'openid offline_access' },
    'told of the end': {
      application: { backchannel_logout_uri: 'https://app.example.org/logout', backchannel_logout_session_required: true },
      scope: 'openid offline_access',
    },
    'nobody is asked': { application: { skip_consent: true } },
  };
  for (const [what, asked] of Object.entries(usual))
    it(`are answered as by the library: ${what}`, async () => {
      const { party, form } = await scene(api, asked);
      const [ours, theirs] = await both(party, [await form(), await form()], what);
      assert.equal(ours.status, 200);
      await client.fetchUserInfo(party.config, ours.body.access_token, client.skipSubjectCheck);
      if (ours.body.refresh_token === undefined) return;
      // Each goes on with what the other one has made.
      const [next, others] = await both(
        party,
        [byRefreshToken(theirs.body.refresh_token), byRefreshToken(ours.body.refresh_token)],
        `${what}, again`,
      );
      await both(
        party,
        [byRefreshToken(next.body.refresh_token), byRefreshToken(others.body.refresh_token)],
        `${what}, and again`,
      );
      assert.ok(await party.isActive(next.body.access_token));
    });

  it('are answered as by the library: for the application itself, in each place for its secret', async () => {
    const party = await RelyingParty.make(api, { access_token_lifetime: 300 });
    const own = { grant_type: 'client_credentials' };
    const [answer] = await both(party, [own, own], 'itself');
    assert.ok(await party.isActive(answer.body.access_token));
    const { id, secret } = party.application;
    for (const [form, headers] of [
      [{ ...own, client_id: id }, {}],
      [{ ...own, client_id: id, client_secret: '' }, {}],
      [
        own,
        {
          Authorization: `basic ${Buffer.from(`${encodeURIComponent(id)}:${secret.replaceAll('-', '%2D')}`).toString('base64')}`,
        },
      ],
      [own, { 'Content-Type': `${FORM};charset=UTF-8` }],
    ] as const)
      assert.equal((await ask(api, party, form, headers)).isOurs, true, JSON.stringify([form, headers]));
    const inBody = await send(`${api.url}/openid/token`, {
      method: 'POST',
      headers: { 'Content-Type': FORM },
      body: String(new URLSearchParams({ ...own, client_id: id, client_secret: secret })),
    });
    assert.equal(inBody.status, 200);
  });

  it('are left to the library if something is unusual, and it gives what it gives', async () => {
    const left: Readonly<Record<string, Asked>> = {
      'claims in the ID token': { application: { id_token_claims: true }, scope: 'openid email' },
      'claims one by one': { parameters: { claims: JSON.stringify({ id_token: { auth_time: { essential: true } } }) } },
      'a time limit': { parameters: { max_age: '600' } },
    };
    for (const [what, asked] of Object.entries(left)) {
      const { party, form } = await scene(api, asked);
      const [answer] = await both(party, [await form(), await form()], what, false);
      assert.equal(answer.status, 200, what);
    }
    const { party, form } = await scene(api, { scope: 'openid email offline_access' });
    // It has one address only.
    const { redirect_uri: _, ...nowhere } = await form();
    const { isOurs, status } = await ask(api, party, nowhere);
    assert.deepEqual([isOurs, status], [false, 200]);
    const { body } = await ask(api, party, await form());
    const less = await ask(api, party, { ...byRefreshToken(body.refresh_token), scope: 'openid' });
    assert.deepEqual([less.isOurs, less.status, less.body.scope], [false, 200, 'openid']);
  });

  it('are refused by the library, and use nothing up', async () => {
    const { party, form } = await scene(api);
    const other = await RelyingParty.make(api);
    const good = await form();
    const { code_verifier: _, ...unproved } = good;
    const wrongs: Readonly<Record<string, readonly [form: Form | string, headers?: Record<string, string>, by?: RelyingParty]>> =
      {
        'another address': [{ ...good, redirect_uri: `${CALLBACK}/` }],
        'another verifier': [{ ...good, code_verifier: client.randomPKCECodeVerifier() }],
        'no verifier': [unproved],
        'an empty verifier': [{ ...good, code_verifier: '' }],
        'another application': [good, {}, other],
        'no code': [{ ...good, code: '' }],
        'an unknown code': [{ ...good, code: 'x'.repeat(43) }],
        'a code with what no database stores': [{ ...good, code: 'x\0' }],
        'another grant': [{ ...good, grant_type: 'refresh_token' }],
        'the code as a refresh token': [byRefreshToken(good.code!)],
        'no grant': [{ ...good, grant_type: '' }],
        'an unknown grant': [{ ...good, grant_type: 'constructor' }],
        'two codes': [`${new URLSearchParams(good)}&code=x`],
        'a wrong secret': [good, { Authorization: `Basic ${Buffer.from(`${party.application.id}:wrong`).toString('base64')}` }],
        'an unknown application': [good, { Authorization: `Basic ${Buffer.from('nobody:wrong').toString('base64')}` }],
        'an application that cannot be': [good, { Authorization: `Basic ${Buffer.from('a%00:b').toString('base64')}` }],
        'a secret with a mark of its end too many': [good, { Authorization: `${basic(party)}=` }],
        'no proof': [good, { Authorization: '' }],
        'two proofs': [{ ...good, client_id: party.application.id, client_secret: party.application.secret }],
        'another id': [{ ...good, client_id: other.application.id }],
        'another type': [good, { 'Content-Type': 'text/plain' }],
        'a bad proof of a key': [good, { DPoP: 'x' }],
      };
    for (const [what, [sent, headers = {}, by = party]] of Object.entries(wrongs)) {
      const ours = await ask(api, by, sent, headers);
      const theirs = await ask(api, by, typeof sent === 'string' ? `${sent}&beside=1` : { ...sent, ...PAST_US }, headers);
      assert.deepEqual([ours.isOurs, ours.status >= 400], [false, true], what);
      assert.deepEqual(comparable(ours), comparable(theirs), what);
    }
    assert.deepEqual((await ask(api, party, good)).status, 200);
  });

  it('that use a code or a refresh token again end what was given for it', async () => {
    for (const beside of [{}, PAST_US]) {
      const { party, form } = await scene(api, { scope: 'openid offline_access' });
      const sent = await form();
      const { body: first } = await ask(api, party, sent);
      const { body: second } = await ask(api, party, byRefreshToken(first.refresh_token));
      assert.ok(await party.isActive(second.access_token));
      const again = await ask(api, party, { ...byRefreshToken(first.refresh_token), ...beside });
      assert.deepEqual([again.status, again.body.error, again.isOurs], [400, 'invalid_grant', false]);
      assert.ok(!(await party.isActive(second.access_token)));
      const code = await scene(api);
      const used = await code.form();
      const { body: tokens } = await ask(api, code.party, used);
      assert.equal((await ask(api, code.party, { ...used, ...beside })).body.error, 'invalid_grant');
      assert.ok(!(await code.party.isActive(tokens.access_token)));
    }
  });
});

underAttack('Usual requests for tokens at the same moment', (api) => {
  type Scene = Awaited<ReturnType<typeof scene>>;
  const endings: Readonly<Record<string, (made: Scene) => Promise<unknown>>> = {
    'the person is disabled': ({ person }) => api.patch(`/v3/users/${person.id}`, { user: { enabled: false } }),
    'the person is deleted': ({ person }) => api.delete(`/v3/users/${person.id}`),
    'a password is set': ({ person }) => api.patch(`/v3/users/${person.id}`, { user: { password: 'another password' } }),
    'the application is deleted': ({ party }) => api.delete(`/v3/OS-OAUTH2/consumers/${party.application.id}`),
    'its addresses change': ({ party }) =>
      api.patch(`/v3/OS-OAUTH2/consumers/${party.application.id}`, {
        consumer: { redirect_uris: ['https://elsewhere.example/callback'] },
      }),
    'all sessions are ended': ({ person }) => api.delete(`/v3/users/${person.id}/OS-SESSIONS/sessions`),
  };
  for (const [what, end] of Object.entries(endings))
    it(`are worth nothing when ${what} meanwhile, and refused afterwards`, async () => {
      for (const scope of ['openid', 'openid offline_access']) {
        const made = await scene(api, { scope });
        const later = await made.form();
        const sent = await made.form();
        const answer = await whenAt(
          'usual-tokens.before-issue',
          () => end(made),
          () => askBare(api, made.party, sent),
        );
        const { access_token: token = '', refresh_token: refresh = '' } = answer.body;
        const told = await send(`${api.url}/openid/userinfo`, { headers: { Authorization: `Bearer ${token}` } });
        assert.ok(told.status >= 400, `${what}: ${told.status}`);
        for (const form of [later, byRefreshToken(refresh)]) assert.ok((await ask(api, made.party, form)).status >= 400, what);
      }
    });

  it('are not answered when the code or the refresh token is used meanwhile', async () => {
    const { party, form } = await scene(api, { scope: 'openid offline_access' });
    const code = await form();
    const race = async (sent: Form): Promise<any> => {
      let winner: Answer | undefined;
      const act = async (): Promise<void> => {
        winner = await askBare(api, party, { ...sent, ...PAST_US });
      };
      const loser = await whenAt('usual-tokens.before-issue', act, () => askBare(api, party, sent));
      const { status, headers, others } = comparable(loser);
      assert.deepEqual([winner!.status, status], [200, 400]);
      const wrong = comparable(await ask(api, party, byRefreshToken('x')));
      assert.deepEqual([headers, others], [wrong.headers, wrong.others]);
      return winner!.body;
    };
    const first = await race(code);
    const second = await race(byRefreshToken(first.refresh_token));
    assert.ok(await party.isActive(second.access_token), 'whoever was quicker keeps what they got');
  });

  it('get one set of tokens for a code, and for a refresh token, on all replicas together', async () => {
    const replicas = api.kind === 'PostgreSQL' ? [api, await api.replica()] : [api];
    const { party, form } = await scene(api, { scope: 'openid offline_access' });
    const many = async (sent: Form): Promise<any> => {
      const requests = Array.from({ length: 12 }, (_, n) =>
        askBare(replicas[n % replicas.length]!, party, n % 3 ? sent : { ...sent, ...PAST_US }),
      );
      const good = (await Promise.all(requests)).filter(({ status }) => status === 200);
      assert.equal(good.length, 1);
      return good[0]!.body;
    };
    await many(await form());
    for (let round = 0; round < 3; round++) {
      const { body } = await askBare(api, party, await form());
      await many(byRefreshToken(body.refresh_token));
    }
    for (const replica of replicas.slice(1)) await replica.stop();
  });
});

/** Without a look at who answers, for requests at the same time. */
async function askBare(api: TestApi, party: RelyingParty, form: Form): Promise<Answer> {
  const answer = await send(`${api.url}/openid/token`, {
    method: 'POST',
    headers: { Authorization: basic(party), 'Content-Type': FORM },
    body: String(new URLSearchParams(form)),
  });
  const { date: _, 'x-openstack-request-id': __, ...headers } = Object.fromEntries(answer.headers);
  return { status: answer.status, headers, body: await answer.json(), isOurs: true };
}
