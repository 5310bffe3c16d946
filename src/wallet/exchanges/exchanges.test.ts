// Exchanges: reading, access, and that nothing happens twice.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { credentialIds, EXCHANGES, issuedCredentials, onEachWalletWithIssuer, VCI } from '../../../test/support/issuance.ts';
import { PRE_AUTHORIZED } from '../../../test/support/toy-issuer.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';
import { actAs, EVERYONE, readAs } from '../access/index.ts';

const UNKNOWN = 'ex_01KA2Z9Q1V8YB3T5M7N9P1R3S5';
const HOUR = 3600;

onEachWalletWithIssuer('Exchanges', (wallet, issuer) => {
  describe('reading', () => {
    it('lists them, newest first, by protocol and state, in pages', async () => {
      const person = await wallet.logIn();
      const ids: string[] = [];
      for (let at = 0; at < 3; at++) {
        ids.unshift((await person.post(VCI, { uri: issuer.offer(at === 1 ? { txCode: '1' } : {}) })).body.exchangeId);
        wallet.clock.advance(1);
      }
      const list = async (query = ''): Promise<string[]> => {
        const answer = await person.get(EXCHANGES + query);
        assert.equal(answer.status, 200, answer.text);
        return answer.body.map(({ id }: any) => id);
      };
      assert.deepEqual(await list(), ids);
      assert.deepEqual(await list('?protocol=oid4vci'), ids);
      assert.deepEqual(await list('?protocol=oid4vp'), []);
      assert.deepEqual(await list('?state=issued'), [ids[0], ids[2]]);
      const page = await person.get(`${EXCHANGES}?limit=2`);
      const [, next] = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '') ?? [];
      assert.deepEqual(
        (await person.get(next!.slice(wallet.url.length))).body.map(({ id }: any) => id),
        [ids[2]],
      );
      for (const query of ['?protocol=http', '?surprise=1', '?limit=0', '?cursor=x'])
        assertProblem(await person.get(EXCHANGES + query), 400, 'invalid-request');
    });

    it('shows what happened, step by step', async () => {
      const person = await wallet.logIn();
      const { exchangeId } = (await person.post(VCI, { uri: issuer.offer() })).body;
      const { body } = await person.get(`${EXCHANGES}/${exchangeId}`);
      const [id] = await credentialIds(person);
      assert.deepEqual(
        body.steps.map(({ step, detail }: any) => [step, detail]),
        [
          ['offer read', '1 of 1 offered, by pre-authorized_code'],
          ['token received', 'a bearer token'],
          ['credential checked', 'identity: 1'],
          ['kept', id],
          ['issuer told', undefined],
        ],
      );
      assert.deepEqual(
        [body.id, body.protocol, body.state, body.outcome, body.peer],
        [exchangeId, 'oid4vci', 'issued', 'issued', issuer.url],
      );
      assert.ok(body.steps.every(({ at }: any) => Math.abs(Date.parse(at) - wallet.clock.now()) < 60_000));
    });

    it('is for their owner', async () => {
      const [person, stranger] = [await wallet.logIn(), await wallet.logIn()];
      const { exchangeId } = (await person.post(VCI, { uri: issuer.offer({ txCode: '1' }) })).body;
      for (const id of [exchangeId, UNKNOWN, 'x', "'"]) {
        assertProblem(await stranger.get(`${EXCHANGES}/${id}`), 404, 'not-found');
        assertProblem(await stranger.post(VCI, { exchangeId: id, txCode: '1' }), 404, 'not-found');
      }
      assert.deepEqual((await stranger.get(EXCHANGES)).body, []);
      assertProblem(await person.post('/api/v1/wallet/oid4vp', { exchangeId }), 404, 'not-found');
      assertProblem(await wallet.get(EXCHANGES), 401, 'not-authenticated');
      assertProblem(await wallet.get(`${EXCHANGES}/${exchangeId}`), 401, 'not-authenticated');
      issuedCredentials(await person.post(VCI, { exchangeId, txCode: '1' }));
    });
  });

  describe('secrets', () => {
    it('are neither in steps, nor in the log, nor in what is refused', async () => {
      const person = await wallet.logIn();
      wallet.logged.length = 0;
      const texts: string[] = [];
      const secrets = new Set(['Lovelace', 'ada@example.org', '1815-12-10', '4711-secret', '0815-secret']);
      issuer.twist = {
        reply(endpoint, { body }) {
          if (endpoint === 'token') secrets.add(body.access_token ?? '4711-secret');
          if (endpoint === 'nonce') secrets.add(body.c_nonce);
        },
      };
      const offer = issuer.offerObject({ txCode: '4711-secret' });
      secrets.add(offer.grants[PRE_AUTHORIZED]['pre-authorized_code']);
      texts.push((await person.post(VCI, { offer })).text);
      const wrong = await person.post(VCI, { offer, txCode: '0815-secret' });
      assertProblem(wrong, 422, 'tx-code-rejected');
      texts.push(wrong.text);
      issuedCredentials(await person.post(VCI, { offer, txCode: '4711-secret' }));
      // Answers that cannot be read, with secrets in them.
      const honest = issuer.twist.reply!;
      const say = async (at: string, change: (reply: any) => void, deferred = false): Promise<void> => {
        issuer.twist.reply = (endpoint, reply, request) => {
          void honest(endpoint, reply, request);
          if (endpoint === at) change(reply);
        };
        const answer = await person.post(VCI, { uri: issuer.offer({ deferred }) });
        assert.ok(answer.status >= 400, answer.text);
        texts.push(answer.text);
      };
      await say('token', (reply) => void delete reply.body.token_type);
      await say('token', (reply) => Object.assign(reply, { body: `${JSON.stringify(reply.body)}<` }));
      await say('token', (reply) => Object.assign(reply, { status: 500 }));
      await say('nonce', (reply) => Object.assign(reply, { body: [reply.body] }));
      await say('credential', (reply) => Object.assign(reply, { body: `Lovelace ${JSON.stringify(reply.body)}` }));
      await say('credential', (reply) => Object.assign(reply, { body: { credentials: ['Lovelace'] } }));
      await say('credential', (reply) => Object.assign(reply, { status: 400, body: { error: 'Lovelace' } }));
      issuer.isDraft = true;
      await say('credential', (reply) => Object.assign(reply, { body: { credential: ['Lovelace'] } }));
      await say('credential', (reply) => Object.assign(reply, { status: 400, body: { error: 'Lovelace' } }));
      texts.push((await person.get(`${EXCHANGES}?limit=200`)).text, ...wallet.logged);
      assert.ok(secrets.size > 10);
      for (const secret of secrets)
        for (const text of texts) assert.ok(!text.includes(secret), `${secret} is in ${text.slice(0, 2000)}`);
    });

    it('are sealed in the database while it waits, and gone when it is over', async () => {
      const person = await wallet.logIn();
      const offer = issuer.offerObject({ txCode: '1' });
      const code = offer.grants[PRE_AUTHORIZED]['pre-authorized_code'];
      const { exchangeId } = (await person.post(VCI, { offer })).body;
      const row = async () => {
        const db = await wallet.database();
        try {
          return await readAs(db, EVERYONE, (reader) =>
            reader.selectFrom('exchanges').where('id', '=', exchangeId).selectAll().executeTakeFirstOrThrow(),
          );
        } finally {
          await db.close();
        }
      };
      const before = await row();
      assert.ok(before.sealed && !JSON.stringify(before).includes(code));
      issuedCredentials(await person.post(VCI, { exchangeId, txCode: '1' }));
      const after = await row();
      assert.deepEqual([after.sealed, after.poll_at, after.state], [null, null, 'issued']);
    });
  });

  describe('doing things once', () => {
    it('refuses an offer that was taken, and names the exchange', async () => {
      const person = await wallet.logIn();
      const uri = issuer.offer();
      const { exchangeId } = (await person.post(VCI, { uri })).body;
      const again = assertProblem(await person.post(VCI, { uri }), 409, 'exchange-finished', /issued/);
      assert.equal(again.exchangeId, exchangeId);
      const other = await wallet.logIn();
      assertProblem(await other.post(VCI, { uri }), 422, 'offer-spent');
      assert.equal(issuer.asked('token').length, 2);
    });

    it('answers a repeated request with what the first one brought', async () => {
      const person = await wallet.logIn();
      const options = { headers: { 'Idempotency-Key': 'once' } };
      const body = { uri: issuer.offer() };
      const first = await person.post(VCI, body, options);
      issuedCredentials(first);
      const again = await person.post(VCI, body, options);
      assert.equal(again.status, 201, again.text);
      assert.deepEqual(again.body, first.body);
      assert.equal(issuer.asked('token').length, 1);
      assertProblem(await person.post(VCI, { uri: issuer.offer() }, options), 409, 'idempotency-key-reused');
      assertProblem(await person.post(VCI, body, { headers: { 'Idempotency-Key': 'a b' } }), 400, 'invalid-request');
      const stranger = await wallet.logIn();
      assertProblem(await stranger.post(VCI, body, options), 422, 'offer-spent');
    });

    it('goes on where a repeated request left off', async () => {
      const person = await wallet.logIn();
      const options = { headers: { 'Idempotency-Key': 'later' } };
      const body = { uri: issuer.offer({ deferred: true }) };
      assert.equal((await person.post(VCI, body, options)).status, 202);
      issuer.ready = true;
      issuedCredentials(await person.post(VCI, body, options));
      assert.equal(issuer.asked('token').length, 1);
      issuedCredentials(await person.post(VCI, body, options));
      assert.equal((await credentialIds(person)).length, 1);
    });

    it('redeems a code once, however many go on at the same time', async () => {
      const person = await wallet.logIn();
      const { exchangeId } = (await person.post(VCI, { uri: issuer.offer({ txCode: '1' }) })).body;
      const answers = await Promise.all(Array.from({ length: 4 }, () => person.post(VCI, { exchangeId, txCode: '1' })));
      assert.equal(answers.filter(({ status }) => status === 201).length, 1);
      for (const answer of answers.filter(({ status }) => status !== 201)) {
        assert.equal(answer.status, 409, answer.text);
        assert.ok(['exchange-busy', 'exchange-finished'].includes(answer.body.code));
      }
      assert.equal(issuer.asked('token').length, 1);
      assert.equal((await credentialIds(person)).length, 1);
    });

    it('takes an offer once, however many bring it at the same time', async () => {
      const person = await wallet.logIn();
      const uri = issuer.offer();
      const answers = await Promise.all(Array.from({ length: 4 }, () => person.post(VCI, { uri })));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409]);
      assert.equal(issuer.asked('token').length, 1);
    });

    it('refuses to go on while somebody does', async () => {
      const person = await wallet.logIn();
      const { exchangeId } = (await person.post(VCI, { uri: issuer.offer({ txCode: '1' }) })).body;
      let reached = (): void => undefined;
      const isAsked = new Promise<void>((resolve) => {
        reached = resolve;
      });
      let answer = (): void => undefined;
      const mayAnswer = new Promise<void>((resolve) => {
        answer = resolve;
      });
      issuer.twist = {
        async reply(endpoint) {
          if (endpoint !== 'token') return;
          reached();
          await mayAnswer;
        },
      };
      const going = person.post(VCI, { exchangeId, txCode: '1' });
      await isAsked;
      assertProblem(await person.post(VCI, { exchangeId, txCode: '1' }), 409, 'exchange-busy');
      answer();
      issuedCredentials(await going);
    });

    it('continues an exchange of a worker that died', async () => {
      const person = await wallet.logIn();
      const { exchangeId } = (await person.post(VCI, { uri: issuer.offer({ txCode: '1' }) })).body;
      const db = await wallet.database();
      await db.write(async (tx) => {
        await actAs(db, tx, EVERYONE);
        const claimed_until = wallet.clock.now() + 60_000;
        await tx.updateTable('exchanges').set({ claimed_until }).where('id', '=', exchangeId).execute();
      });
      await db.close();
      assertProblem(await person.post(VCI, { exchangeId, txCode: '1' }), 409, 'exchange-busy');
      wallet.clock.advance(61);
      issuedCredentials(await person.post(VCI, { exchangeId, txCode: '1' }));
    });

    it('expires', async () => {
      const person = await wallet.logIn();
      const { exchangeId } = (await person.post(VCI, { uri: issuer.offer({ txCode: '1' }) })).body;
      wallet.clock.advance(24 * HOUR + 1);
      const again = await wallet.logIn(person.name);
      const refused = assertProblem(await again.post(VCI, { exchangeId, txCode: '1' }), 410, 'exchange-expired');
      assert.equal(refused.exchangeId, exchangeId);
      assert.equal(issuer.asked('token').length, 0);
      await wallet.service.sweep();
      assertProblem(await again.post(VCI, { exchangeId, txCode: '1' }), 404, 'not-found');
    });

    it('keeps the log of those that are over for a month', async () => {
      const person = await wallet.logIn();
      const { exchangeId } = (await person.post(VCI, { uri: issuer.offer() })).body;
      wallet.clock.advance(29 * 24 * HOUR);
      await wallet.service.sweep();
      const later = await wallet.logIn(person.name);
      assert.equal((await later.get(`${EXCHANGES}/${exchangeId}`)).status, 200);
      wallet.clock.advance(2 * 24 * HOUR);
      await wallet.service.sweep();
      const latest = await wallet.logIn(person.name);
      assertProblem(await latest.get(`${EXCHANGES}/${exchangeId}`), 404, 'not-found');
    });

    it('counts each once, by how it ended', async () => {
      const person = await wallet.logIn();
      const counted = async (outcome: string): Promise<number> => {
        const metric = await wallet.service.metrics.registry.getSingleMetric('wallet_exchanges_total')!.get();
        return metric.values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
      };
      const before = await counted('issued');
      issuedCredentials(await person.post(VCI, { uri: issuer.offer() }));
      assert.equal((await counted('issued')) - before, 1);
    });
  });
});
