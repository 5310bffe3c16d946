// Attacks on requests that a person signs in somewhere else: floods, guesses of who exists, answers to requests of others, replays, calls to
// addresses inside, and what changes between the request and the answer.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SignJWT } from 'jose';
import { type TestApi, underAttack, uniqueName } from '../../../../test/support/api.ts';
import { changeApi, makeApi } from '../../../../test/support/apis.ts';
import { makeApplication } from '../../../../test/support/applications.ts';
import { CALLBACK } from '../../../../test/support/relying-party.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { Asked, Asker, allDone, CIBA } from '../../../../test/support/sign-in-requests.ts';
import { assertSameTime } from '../../../../test/support/timing.ts';

const PATH = '/v3/OS-OAUTH2/consumers';

underAttack('Requests that a person signs in somewhere else, under attack', (api: TestApi) => {
  const both = async (): Promise<[Asker, Asked]> => [await Asker.make(api), await Asked.make(api)];
  const eventsOf = async (userId: string): Promise<string[]> => {
    const db = await databaseOf(api);
    try {
      const rows = await db.read
        .selectFrom('audit_events')
        .where('target_id', '=', userId)
        .select(['action', 'detail'])
        .execute();
      return rows.filter(({ action }) => action.startsWith('sign_in_request')).map(({ action, detail }) => `${action} ${detail}`);
    } finally {
      await db.close();
    }
  };

  describe('who may ask', () => {
    for (const [what, values] of Object.entries({
      'an application that is registered for other ways': {
        allowed_grant_types: ['authorization_code'],
        redirect_uris: [CALLBACK],
      },
      'an application without a list of its own': { redirect_uris: [CALLBACK] },
    }))
      it(`not ${what}`, async () => {
        const asker = new Asker(api, await makeApplication(api, values));
        for (const { status, body } of [await asker.ask({ login_hint: 'x' }), await asker.poll('x')]) {
          assert.equal(status, 400);
          assert.match(body.error_description, /not allowed for this client/);
        }
      });

    it('not a public application, and none that says it is another one', async () => {
      const consumer = { name: uniqueName('x'), client_type: 'public', allowed_grant_types: [CIBA] };
      assert.equal((await api.post(PATH, { consumer })).status, 400);
      const asker = await Asker.make(api);
      assert.equal((await asker.change({ client_type: 'public' })).status, 400);
      const stolen = new Asker(api, { id: asker.id, name: asker.name, secret: 'guessed' });
      assert.deepEqual([(await stolen.ask({ login_hint: 'x' })).status, (await stolen.poll('x')).status], [401, 401]);
    });

    it('not an application that registered itself, whatever an administrator adds to it before keeping it', async () => {
      const db = await databaseOf(api);
      const [asker, asked] = await both();
      try {
        const expires = Math.floor(Date.now() / 1000) + 1000;
        const mark = { registered_by: 'open' as const, registration_expires_at: expires };
        await db.write((tx) => tx.updateTable('consumers').set(mark).where('id', '=', asker.id).execute());
        assert.ok((await asker.ask({ login_hint: asked.person.name })).status >= 400);
      } finally {
        await db.close();
      }
    });

    for (const [what, consumer] of Object.entries({
      'ping without an address': { backchannel_token_delivery_mode: 'ping' },
      push: { backchannel_token_delivery_mode: 'push', backchannel_client_notification_endpoint: 'https://app.example.org/told' },
      'an address that is none': {
        backchannel_token_delivery_mode: 'ping',
        backchannel_client_notification_endpoint: 'file:///etc',
      },
      'signed requests without a key': { backchannel_authentication_request_signing_alg: 'ES256' },
      'requests signed with nothing': { backchannel_authentication_request_signing_alg: 'none' },
    }))
      it(`not registered with ${what}`, async () => {
        const values = { name: uniqueName('x'), allowed_grant_types: [CIBA], ...consumer };
        assert.equal((await api.post(PATH, { consumer: values })).status, 400);
        const asker = await Asker.make(api);
        assert.equal((await asker.change(consumer)).status, 400);
      });
  });

  describe('requests are refused', () => {
    for (const [what, [parameters, error]] of Object.entries({
      'without a hint': [{}, 'invalid_request'],
      'with two hints': [{ login_hint: 'a', id_token_hint: 'b' }, 'invalid_request'],
      'with a token for a hint': [{ login_hint_token: 'a.b.c' }, 'invalid_request'],
      'with an ID token that is none': [{ id_token_hint: 'a.b.c' }, 'invalid_request'],
      'without openid': [{ login_hint: 'a', scope: 'email' }, 'invalid_request'],
      'for credentials': [{ login_hint: 'a', scope: 'openid role_credential.x' }, 'invalid_'],
      'for an API that nobody registered': [{ login_hint: 'a', resource: 'https://api.example.org/x' }, 'invalid_target'],
      'with a message of two lines': [{ login_hint: 'a', binding_message: 'a\nb' }, 'invalid_binding_message'],
      'with a message that turns its direction': [{ login_hint: 'a', binding_message: 'a\u202Eb' }, 'invalid_binding_message'],
      'with a message that nobody sees': [{ login_hint: 'a', binding_message: '\u200B' }, 'invalid_binding_message'],
      'with a message that is long': [{ login_hint: 'a', binding_message: 'a'.repeat(61) }, 'invalid_binding_message'],
      'with a long context': [{ login_hint: 'a', request_context: 'a'.repeat(5000) }, 'invalid_request'],
      'with a strange end': [{ login_hint: 'a', requested_expiry: '-1' }, 'invalid_request'],
      'by an address': [{ login_hint: 'a', request_uri: 'https://evil.example/r' }, 'request_uri_not_supported'],
    } as Record<string, [Record<string, string>, string]>))
      it(what, async () => {
        const answer = await (await Asker.make(api)).ask(parameters);
        assert.equal(answer.status, 400, answer.text);
        assert.ok(String(answer.body.error).startsWith(error), answer.text);
      });

    it('for a scope that the application may not have', async () => {
      const asker = await Asker.make(api, { allowed_scopes: ['openid'] });
      assert.equal((await asker.ask({ login_hint: 'a', scope: 'openid email' })).body.error, 'invalid_scope');
    });

    it('never last longer than ten minutes', async () => {
      const { body } = await (await Asker.make(api)).ask({ login_hint: 'a', requested_expiry: '999999' });
      assert.equal(body.expires_in, 600);
    });

    it('with an ID token of another application, or of somebody else', async () => {
      const [asker, asked] = await both();
      const id = await asker.begin({ login_hint: asked.person.name });
      await asked.see();
      await asked.answer('allow-request');
      const { id_token: hint } = (await asker.poll(id)).body;
      const other = await Asker.make(api);
      assert.equal((await other.ask({ id_token_hint: hint })).body.error, 'invalid_request');
      const forged = await new SignJWT({ sub: asked.person.id, aud: asker.id, iss: api.url })
        .setProtectedHeader({ alg: 'HS256' })
        .sign(Buffer.from(asker.secret));
      assert.equal((await asker.ask({ id_token_hint: forged })).body.error, 'invalid_request');
    });
  });

  describe('who exists', () => {
    const nobody = 'nobody has this name';

    it('is not told by the answer, nor by what comes after it', async () => {
      const [asker, asked] = await both();
      const disabled = await Asked.make(api);
      await api.patch(`/v3/users/${disabled.person.id}`, { user: { enabled: false } });
      const off = await Asked.make(api);
      await off.choose('none');
      const withCode = await Asked.make(api);
      await withCode.choose('code', 'secret77');
      const hints = [asked, disabled, off, withCode].map(({ person }) => person.name);
      const shapeOf = async (hint: string): Promise<unknown> => {
        const answer = await asker.ask({ login_hint: hint });
        await allDone(api);
        const polled = await asker.poll(answer.body.auth_req_id);
        const { auth_req_id: id, ...rest } = answer.body;
        return [answer.status, [...answer.headers.keys()].sort(), String(id).length, rest, polled.status, polled.body];
      };
      const expected = await shapeOf(nobody);
      for (const hint of [...hints, '', `x\0y`, 'a'.repeat(400), `${asked.person.name}'--`].filter((one) => one !== ''))
        assert.deepEqual(await shapeOf(hint), expected, hint);
      assert.equal((await asked.waiting()).length, 1);
      assert.deepEqual([await off.waiting(), await withCode.waiting()], [[], []]);
    });
  });

  describe('a person is not flooded', () => {
    it('by one application: three wait, and it does not learn that the others do not', async () => {
      const [asker, asked] = await both();
      const ids: string[] = [];
      for (let count = 0; count < 6; count++) ids.push(await asker.begin({ login_hint: asked.person.name }));
      await allDone(api);
      assert.equal((await asked.waiting()).length, 3);
      for (const id of ids) assert.equal((await asker.poll(id)).body.error, 'authorization_pending');
      const other = await Asker.make(api);
      await other.begin({ login_hint: asked.person.name });
      await allDone(api);
      assert.equal((await asked.waiting()).length, 4, 'another application can still ask');
    });

    it('by one that tries again after each answer, nor by many', async () => {
      const [[asker, asked], other] = [await both(), await Asker.make(api)];
      const db = await databaseOf(api);
      const answered = (consumerId: string, count: number) =>
        db.write(async (tx) => {
          const now = Math.floor(api.clock.now() / 1000) - 3500;
          const times = { created_at: now, expires_at: now + 300, poll_at: now, poll_seconds: 5 };
          for (let one = 0; one < count; one++) {
            const row = {
              id: uniqueName('request'),
              consumer_id: consumerId,
              user_id: asked.person.id,
              state: 'refused' as const,
            };
            await tx
              .insertInto('sign_in_requests')
              .values({ ...row, ...times })
              .execute();
          }
        });
      const isSeen = async (by: Asker): Promise<boolean> => {
        const before = (await asked.waiting()).length;
        await by.begin({ login_hint: asked.person.name });
        await allDone(api);
        return (await asked.waiting()).length > before;
      };
      try {
        await answered(asker.id, 9);
        assert.deepEqual([await isSeen(asker), await isSeen(asker), await isSeen(other)], [true, false, true]);
        await answered(other.id, 19);
        assert.equal(await isSeen(await Asker.make(api)), false, 'thirty in an hour, whoever asks');
        api.clock.advance(200);
        assert.equal(await isSeen(await Asker.make(api)), true);
      } finally {
        await db.close();
      }
    });

    it('at the same moment', async () => {
      const [asker, asked] = await both();
      await Promise.all(Array.from({ length: 8 }, () => asker.begin({ login_hint: asked.person.name })));
      await allDone(api);
      assert.equal((await asked.waiting()).length, 3);
    });

    it('and a code is not guessed', async () => {
      const asker = await Asker.make(api, { backchannel_user_code_parameter: true });
      const asked = await Asked.make(api);
      await asked.choose('code', 'secret77');
      for (let count = 0; count < 10; count++) await asker.begin({ login_hint: asked.person.name, user_code: `guess00${count}` });
      await allDone(api);
      await asker.begin({ login_hint: asked.person.name, user_code: 'secret77' });
      await allDone(api);
      assert.deepEqual(await asked.waiting(), []);
      const events = (await eventsOf(asked.person.id)).join();
      assert.match(events, /wrong code/);
      assert.doesNotMatch(events, /secret77|guess00/);
    });

    it('and what a code is, is nowhere in clear', async () => {
      const asked = await Asked.make(api);
      await asked.choose('code', 'inClear77');
      const db = await databaseOf(api);
      try {
        const rows = await db.read.selectFrom('sign_in_request_choices').selectAll().execute();
        assert.ok(rows.length > 0);
        assert.doesNotMatch(JSON.stringify(rows), /inClear77/);
        assert.doesNotMatch(api.logged.join(''), /inClear77/);
      } finally {
        await db.close();
      }
    });
  });

  describe('an answer', () => {
    it('is given by the person who was asked, nobody else', async () => {
      const [asker, asked] = await both();
      const intruder = await Asked.make(api);
      const id = await asker.begin({ login_hint: asked.person.name });
      const [request] = await asked.see();
      for (const step of ['allow-request', 'refuse-request'] as const) {
        const page = await intruder.browser.go('/account/applications');
        const sent = await intruder.browser.send('/account', { ...page.forms[0]!.fields, step, request: request! });
        assert.equal(sent.status, 400);
        assert.match(sent.text, /nothing to answer any more/);
      }
      assert.equal((await asker.poll(id)).body.error, 'authorization_pending');
      assert.equal((await asked.waiting()).length, 1);
    });

    it('needs the form of the page, and the session', async () => {
      const [asker, asked] = await both();
      const id = await asker.begin({ login_hint: asked.person.name });
      const [request] = await asked.see();
      const form = { step: 'allow-request', request: request! };
      assert.equal((await asked.browser.send('/account', { ...form, form_token: 'guessed' })).status, 403);
      assert.equal(
        (await asked.browser.send('/account', form, { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' })).status,
        403,
      );
      assert.equal((await asker.poll(id)).body.error, 'authorization_pending');
    });

    it('that allows needs a recent sign-in', async () => {
      const [asker, asked] = await both();
      // Longer than a sign-in is recent, and shorter than the token of the administrator lasts.
      api.clock.advance(1000);
      const id = await asker.begin({ login_hint: asked.person.name });
      await asked.see();
      const page = await asked.answer('allow-request');
      assert.match(page.url, /\/openid\/interaction\//, 'the person signs in again');
      assert.equal((await asker.poll(id)).body.error, 'authorization_pending');
    });

    it('is given once: of many at once, one counts', async () => {
      const [asker, asked] = await both();
      await asker.begin({ login_hint: asked.person.name });
      const [request] = await asked.see();
      const page = await asked.page();
      const form = page.forms.find(({ fields }) => fields.step === 'allow-request')!.fields;
      const steps = ['allow-request', 'refuse-request', 'allow-request', 'refuse-request'];
      const sent = await Promise.all(
        steps.map((step) => asked.browser.copy().send('/account', { ...form, step, request: request! })),
      );
      assert.equal(sent.filter(({ text }) => /You have (?:allowed|refused) it/.test(text)).length, 1);
      const answers = (await eventsOf(asked.person.id)).filter((event) => /allowed|refused/.test(event));
      assert.equal(answers.length, 1);
    });

    it('does not go to another application', async () => {
      const [asker, asked] = await both();
      const other = await Asker.make(api);
      const id = await asker.begin({ login_hint: asked.person.name });
      await asked.see();
      await asked.answer('allow-request');
      assert.equal((await other.poll(id)).body.error, 'invalid_grant');
      assert.equal((await asker.poll(id)).status, 200);
    });

    it('is fetched once, also by many at once', async () => {
      const [asker, asked] = await both();
      const id = await asker.begin({ login_hint: asked.person.name });
      await asked.see();
      await asked.answer('allow-request');
      const fetched = await Promise.all(Array.from({ length: 5 }, () => asker.poll(id)));
      assert.ok(fetched.filter(({ status }) => status === 200).length <= 1, fetched.map(({ status }) => status).join());
    });

    it('is not given by a session that lacks what the application demands', async () => {
      const [asker, asked] = await both();
      const acr = { essential: true, value: 'phr' };
      const id = await asker.begin({ login_hint: asked.person.name, claims: JSON.stringify({ id_token: { acr } }) });
      await asked.see();
      const page = await asked.answer('allow-request');
      assert.doesNotMatch(page.text, /You have allowed it/);
      assert.equal((await asker.poll(id)).body.error, 'authorization_pending');
    });

    it('gives no claims beyond the scopes that the person saw', async () => {
      const [asker, asked] = await both();
      const claims = JSON.stringify({ userinfo: { email: { essential: true } }, id_token: { email: null } });
      const id = await asker.begin({ login_hint: asked.person.name, claims });
      await asked.see();
      await asked.answer('allow-request');
      const { body } = await asker.poll(id);
      const bearer = { token: null, headers: { Authorization: `Bearer ${body.access_token}` } };
      assert.equal((await api.get('/openid/userinfo', bearer)).body.email, undefined);
      assert.doesNotMatch(Buffer.from(body.id_token.split('.')[1], 'base64url').toString(), /@example\.org/);
    });
  });

  describe('what changes between the request and the answer', () => {
    const begun = async (more: Record<string, string> = {}, values: Record<string, unknown> = {}) => {
      const [asker, asked] = [await Asker.make(api, values), await Asked.make(api)];
      const id = await asker.begin({ login_hint: asked.person.name, ...more });
      await asked.see();
      return { asker, asked, id };
    };
    const isOver = async ({ asker, asked, id }: Awaited<ReturnType<typeof begun>>, request: string): Promise<void> => {
      const page = await asked.answer('allow-request', request);
      assert.doesNotMatch(page.text, /You have allowed it/);
      const polled = await asker.poll(id);
      assert.notEqual(polled.status, 200);
    };

    for (const [what, consumer] of Object.entries({
      'the application may not ask any more': { allowed_grant_types: ['refresh_token'] },
      'it lost a scope': { allowed_scopes: ['openid'] },
    }))
      it(what, async () => {
        const all = await begun({ scope: 'openid email' });
        const [request] = await all.asked.waiting();
        assert.equal((await all.asker.change(consumer)).status, 200);
        await isOver(all, request!);
      });

    it('the application is gone', async () => {
      const all = await begun();
      const [request] = await all.asked.waiting();
      assert.equal((await api.delete(`${PATH}/${all.asker.id}`)).status, 204);
      assert.deepEqual(await all.asked.waiting(), []);
      await isOver(all, request!);
    });

    it('the person is disabled, before and after they allowed it', async () => {
      for (const isAnswered of [false, true]) {
        const all = await begun();
        if (isAnswered) await all.asked.answer('allow-request');
        await api.patch(`/v3/users/${all.asked.person.id}`, { user: { enabled: false } });
        assert.equal((await all.asker.poll(all.id)).body.error, 'invalid_grant');
      }
    });

    it('the person has a new password after they allowed it', async () => {
      const all = await begun();
      await all.asked.answer('allow-request');
      await api.patch(`/v3/users/${all.asked.person.id}`, { user: { password: 'a new one of the administrator' } });
      assert.equal((await all.asker.poll(all.id)).body.error, 'invalid_grant');
    });

    it('the person takes the access of the application away after they allowed it', async () => {
      const all = await begun();
      await all.asked.answer('allow-request');
      const page = await all.asked.browser.go('/account/applications');
      await all.asked.browser.submit(page, 'revoke', { application: all.asker.id });
      assert.equal((await all.asker.poll(all.id)).body.error, 'invalid_grant');
    });

    it('the API takes something away', async () => {
      const registered = await makeApi(api);
      const all = await begun({ resource: registered.identifier });
      const [request] = await all.asked.waiting();
      assert.match((await all.asked.page()).text, new RegExp(registered.name));
      await changeApi(api, registered, { scopes: [{ name: 'papers:read', description: 'to read your papers' }] });
      await isOver(all, request!);
    });

    it('it ends', async () => {
      const all = await begun();
      const [request] = await all.asked.waiting();
      api.clock.advance(301);
      assert.deepEqual(await all.asked.waiting(), []);
      const page = await all.asked.browser.go('/account/applications');
      const form = { ...page.forms[0]!.fields, step: 'refuse-request', request: request! };
      assert.match((await all.asked.browser.send('/account', form)).text, /nothing to answer any more/);
    });
  });
});

underAttack('The time of requests that people sign in', (api: TestApi) => {
  it('is not different for a person and for nobody', async () => {
    const [asker, asked] = [await Asker.make(api), await Asked.make(api)];
    await assertSameTime(
      'a person and nobody',
      () => asker.begin({ login_hint: asked.person.name }),
      () => asker.begin({ login_hint: 'nobody has this name' }),
    );
  });
});

underAttack(
  'Floods of requests that people sign in',
  (api: TestApi) => {
    it('of one application end at a limit, and those of others go on', async () => {
      api.clock.hold();
      const [asker, other] = [await Asker.make(api), await Asker.make(api)];
      let last = 200;
      for (let count = 0; count < 301 && last === 200; count++) last = (await asker.ask({ login_hint: 'nobody' })).status;
      assert.equal(last, 429);
      assert.equal((await other.ask({ login_hint: 'nobody' })).status, 200);
    });
  },
  { rateLimits: true },
);
