// Deferred credentials: requested again by their owner or by the node.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  credentialIds,
  EXCHANGES,
  issuedCredentials,
  KEYS,
  keysOf,
  onEachWalletWithIssuer,
  stepsOf,
  VCI,
} from '../../../test/support/issuance.ts';
import type { WalletUser } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';

onEachWalletWithIssuer('Credentials that come later', (wallet, issuer) => {
  async function deferred(person: WalletUser, body: object = { uri: issuer.offer({ deferred: true }) }): Promise<string> {
    const answer = await person.post(VCI, body);
    assert.equal(answer.status, 202, answer.text);
    const { exchangeId, retryAfter, status } = answer.body;
    assert.deepEqual([status, answer.headers.get('retry-after')], ['deferred', String(retryAfter)]);
    return exchangeId;
  }
  const state = async (person: WalletUser, id: string): Promise<string> => (await person.get(`${EXCHANGES}/${id}`)).body.state;
  async function later(seconds: number): Promise<number> {
    wallet.clock.advance(seconds);
    return (await wallet.service.sweep()).continued!;
  }

  it('says when to ask again, and gives it then', async () => {
    const person = await wallet.logIn();
    const first = await person.post(VCI, { uri: issuer.offer({ deferred: true }) });
    assert.deepEqual([first.status, first.body.retryAfter], [202, 5]);
    const { exchangeId } = first.body;
    const { body: shown } = await person.get(`${EXCHANGES}/${exchangeId}`);
    assert.equal(shown.state, 'deferred');
    assert.ok(Math.abs(Date.parse(shown.retryAt) - Date.parse(shown.updatedAt) - 5000) < 1000);
    await deferred(person, { exchangeId });
    assert.deepEqual(await credentialIds(person), []);
    issuer.ready = true;
    const [credential] = issuedCredentials(await person.post(VCI, { exchangeId }));
    assert.equal(credential.claims.given_name, 'Ada');
    assert.deepEqual(
      issuer.notifications.map(({ event }) => event),
      ['credential_accepted'],
    );
    assertProblem(await person.post(VCI, { exchangeId }), 409, 'exchange-finished');
    assert.equal(issuer.asked('credential').length, 1);
  });

  it('asks by itself, not before the time the issuer named', async () => {
    const person = await wallet.logIn();
    issuer.interval = 300;
    const exchangeId = await deferred(person);
    assert.equal(await later(299), 0);
    assert.equal(await later(2), 1);
    assert.equal(issuer.asked('deferred').length, 1);
    assert.equal(await state(person, exchangeId), 'deferred');
    issuer.ready = true;
    assert.equal(await later(301), 1);
    assert.equal(await state(person, exchangeId), 'issued');
    assert.equal((await credentialIds(person)).length, 1);
    assert.equal(await later(301), 0);
  });

  it('goes on after a restart', async () => {
    const person = await wallet.logIn();
    const exchangeId = await deferred(person, { uri: issuer.offer({ deferred: true }), count: 2 });
    await wallet.service.stop(1000);
    await wallet.open();
    issuer.ready = true;
    assert.equal(await later(6), 1);
    const again = await wallet.logIn(person.name);
    assert.equal(await state(again, exchangeId), 'issued');
    assert.equal((await again.get('/api/v1/wallet/credentials')).body[0].instances, 2);
  });

  it('waits as long as the issuer wants', async () => {
    const person = await wallet.logIn();
    issuer.interval = 3 * 24 * 3600;
    const exchangeId = await deferred(person);
    issuer.ready = true;
    await later(2 * 24 * 3600);
    assert.equal(await later(24 * 3600 + 1), 1);
    const again = await wallet.logIn(person.name);
    assert.equal(await state(again, exchangeId), 'issued');
  });

  it('waits on when the issuer is away, and does not ask it all the time', async () => {
    const person = await wallet.logIn();
    const exchangeId = await deferred(person);
    for (const gone of ['deferred', 'metadata']) {
      issuer.twist = { reply: (endpoint, reply) => void (endpoint === gone && Object.assign(reply, { status: 503, body: {} })) };
      assert.equal(await later(61), 1);
      assert.equal(await state(person, exchangeId), 'deferred', gone);
      assert.equal(await later(1), 0);
    }
    issuer.twist = {};
    issuer.ready = true;
    assert.equal(await later(61), 1);
    assert.equal(await state(person, exchangeId), 'issued');
  });

  it('renews a token that has ended meanwhile, bound to the same key', async () => {
    for (const dpop of [undefined, 'said'] as const) {
      const person = await wallet.logIn();
      Object.assign(issuer, { interval: 600, endsTokens: true, dpop });
      const exchangeId = await deferred(person, { uri: issuer.offer({ deferred: true, refresh: true }) });
      issuer.ready = true;
      assert.equal(await later(601), 1);
      assert.equal(await state(person, exchangeId), 'issued');
      assert.deepEqual(
        issuer.asked('token').map(({ grant_type: grant }) => grant.split(':').at(-1)),
        ['pre-authorized_code', 'refresh_token'],
      );
      assert.ok((await stepsOf(person, exchangeId)).includes('token renewed'));
      issuer.reset();
    }
  });

  it('ends when its token has ended and cannot be renewed', async () => {
    const person = await wallet.logIn();
    Object.assign(issuer, { interval: 600, endsTokens: true });
    const exchangeId = await deferred(person);
    issuer.ready = true;
    assert.equal(await later(601), 1);
    assert.equal(await state(person, exchangeId), 'failed');
  });

  it('ends when the issuer does not know of it any more, or refuses', async () => {
    for (const [error, code, status] of [
      ['invalid_transaction_id', 'upstream-error', 502],
      ['credential_request_denied', 'issuance-denied', 422],
    ] as const) {
      const person = await wallet.logIn();
      const exchangeId = await deferred(person);
      issuer.twist = {
        reply: (endpoint, reply) => void (endpoint === 'deferred' && Object.assign(reply, { status: 400, body: { error } })),
      };
      const refused = assertProblem(await person.post(VCI, { exchangeId }), status, code);
      assert.deepEqual(refused.protocol, { error, endpoint: 'deferred credential' });
      const { body } = await person.get(`${EXCHANGES}/${exchangeId}`);
      assert.deepEqual([body.state, body.outcome, body.retryAt], ['failed', code, undefined]);
      issuer.reset();
    }
  });

  it('takes "pending" of older drafts for what it means', async () => {
    const person = await wallet.logIn();
    const exchangeId = await deferred(person);
    issuer.twist = {
      reply: (endpoint, reply) =>
        void (endpoint === 'deferred' && Object.assign(reply, { status: 400, body: { error: 'issuance_pending' } })),
    };
    await deferred(person, { exchangeId });
    assert.equal(await state(person, exchangeId), 'deferred');
  });

  it('keeps at once what comes at once, and lists all of it at the end', async () => {
    const person = await wallet.logIn();
    issuer.deferredOnly = 'membership';
    const configurations = ['identity', 'membership'];
    const exchangeId = await deferred(person, { uri: issuer.offer({ configurations, deferred: true }) });
    assert.equal((await credentialIds(person)).length, 1);
    assert.equal(issuer.notifications.length, 1);
    issuer.ready = true;
    const all = issuedCredentials(await person.post(VCI, { exchangeId }));
    assert.deepEqual(all.map(({ credentialConfigurationId: id }) => id).sort(), configurations);
    assert.equal(issuer.notifications.length, 2);
    assert.ok((await stepsOf(person, exchangeId)).includes('issuer needs time'));
  });

  it('asks several issuers at once: a slow one does not keep the others waiting', async () => {
    const person = await wallet.logIn();
    const ids = [await deferred(person), await deferred(person)];
    issuer.ready = true;
    const both = Promise.withResolvers<void>();
    let asked = 0;
    issuer.twist = {
      async reply(endpoint) {
        if (endpoint !== 'deferred') return;
        if (++asked === 2) both.resolve();
        await both.promise;
      },
    };
    await later(6);
    for (const id of ids) assert.equal(await state(person, id), 'issued');
  });

  describe('one of two', () => {
    const configurations = ['identity', 'membership'];
    /** The one that is not deferred fails in this way. */
    const failing = (change: (reply: { status: number; body: unknown }) => void): void => {
      issuer.deferredOnly = 'identity';
      issuer.twist = {
        reply: (endpoint, reply) => void (endpoint === 'credential' && reply.body.transaction_id === undefined && change(reply)),
      };
    };

    it('comes later although the other failed for the moment, and the other is asked for again', async () => {
      const person = await wallet.logIn();
      failing((reply) => Object.assign(reply, { status: 503, body: {} }));
      const refused = assertProblem(
        await person.post(VCI, { uri: issuer.offer({ configurations, deferred: true }) }),
        502,
        'upstream-error',
      );
      assert.equal(await state(person, refused.exchangeId), 'deferred');
      issuer.ready = true;
      await later(61);
      // It came, and waits no more; the other one is still missing.
      assert.equal((await credentialIds(person)).length, 1);
      assert.equal(await state(person, refused.exchangeId), 'requesting');
      const asked = issuer.seen.length;
      await later(600);
      assert.equal(issuer.seen.length, asked);
      issuer.twist = {};
      const all = issuedCredentials(await person.post(VCI, { exchangeId: refused.exchangeId }));
      assert.deepEqual(all.map(({ credentialConfigurationId: id }) => id).sort(), configurations);
      assert.equal((await credentialIds(person)).length, 2);
    });

    it('is not waited for when the other is refused', async () => {
      const person = await wallet.logIn();
      failing((reply) => Object.assign(reply, { status: 400, body: { error: 'credential_request_denied' } }));
      const refused = assertProblem(
        await person.post(VCI, { uri: issuer.offer({ configurations, deferred: true }) }),
        422,
        'issuance-denied',
      );
      assert.equal(await state(person, refused.exchangeId), 'failed');
      await later(600);
      assert.deepEqual(await credentialIds(person), []);
    });
  });

  describe('what it was to be bound to', () => {
    const keyIds = async (person: WalletUser): Promise<string[]> => (await keysOf(person)).map(({ id }) => id);

    it('is gone: a key that was revoked, or purged, takes no credential', async () => {
      for (const end of ['revoke', 'purge']) {
        const person = await wallet.logIn();
        const exchangeId = await deferred(person);
        const [id] = await keyIds(person);
        const answer = end === 'purge' ? await person.delete(`${KEYS}/${id}`) : await person.post(`${KEYS}/${id}/revoke`, {});
        assert.ok(answer.status < 300, answer.text);
        issuer.ready = true;
        const refused = assertProblem(await person.post(VCI, { exchangeId }), 422, 'credential-rejected', /revoked/);
        assert.deepEqual(refused.reasons, ['key-revoked']);
        assert.deepEqual(await credentialIds(person), []);
        assert.deepEqual(
          issuer.notifications.map(({ event }) => event),
          ['credential_failure'],
        );
        issuer.reset();
      }
    });

    it('was rotated: the credential is kept, and can be shown', async () => {
      const person = await wallet.logIn();
      const exchangeId = await deferred(person);
      const [id] = await keyIds(person);
      assert.equal((await person.post(`${KEYS}/${id}/rotate`, {})).status, 200);
      issuer.ready = true;
      const [credential] = issuedCredentials(await person.post(VCI, { exchangeId }));
      assert.equal(credential.holder.keyId, id);
    });

    it('is gone for some copies: the others are kept', async () => {
      const person = await wallet.logIn();
      const exchangeId = await deferred(person, { uri: issuer.offer({ deferred: true }), count: 3 });
      const [id] = await keyIds(person);
      assert.equal((await person.post(`${KEYS}/${id}/revoke`, {})).status, 200);
      issuer.ready = true;
      const [credential] = issuedCredentials(await person.post(VCI, { exchangeId }));
      assert.equal(credential.instances, 2);
    });

    it('was a DID that is deleted since: its key still holds it', async () => {
      const person = await wallet.logIn();
      const exchangeId = await deferred(person, { uri: issuer.offer({ configurations: ['did_bound'], deferred: true }) });
      const [did] = (await person.get('/api/v1/wallet/dids')).body;
      assert.equal((await person.delete(`/api/v1/wallet/dids/${did.id}`)).status, 204);
      issuer.ready = true;
      const [credential] = issuedCredentials(await person.post(VCI, { exchangeId }));
      assert.equal(credential.holder.did, undefined);
    });
  });
});
