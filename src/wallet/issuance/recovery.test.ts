// Interrupted exchanges with an issuer: recovery by the caller, and cleanup after a failure.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  CREDENTIALS,
  credentialIds,
  issuedCredentials,
  KEYS,
  keysOf,
  onEachWalletWithIssuer,
  VCI,
} from '../../../test/support/issuance.ts';
import type { IssuerReply } from '../../../test/support/toy-issuer.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';

onEachWalletWithIssuer('Exchanges that stop half way', (wallet, issuer) => {
  const at = (endpoint: string, change: (reply: IssuerReply) => void): void => {
    issuer.twist = { reply: (one, reply) => void (one === endpoint && change(reply)) };
  };
  const away = (reply: IssuerReply): void => void Object.assign(reply, { status: 503, body: {} });

  it('go on with another key when the first was revoked meanwhile, named or not', async () => {
    for (const isNamed of [false, true]) {
      const person = await wallet.logIn();
      const [first, second] = [(await person.post(KEYS, {})).body, (await person.post(KEYS, {})).body];
      at('credential', away);
      const { exchangeId } = assertProblem(
        await person.post(VCI, { uri: issuer.offer(), keyId: first.id }),
        502,
        'upstream-error',
      );
      issuer.twist = {};
      assert.equal((await person.post(`${KEYS}/${first.id}/revoke`, {})).status, 200);
      if (isNamed) assertProblem(await person.post(VCI, { exchangeId }), 422, 'key-not-active');
      const [credential] = issuedCredentials(await person.post(VCI, { exchangeId, keyId: second.id }));
      assert.equal(credential.holder.keyId, second.id);
      issuer.reset();
    }
  });

  it('take another key by themselves when nobody named the first', async () => {
    const person = await wallet.logIn();
    at('credential', away);
    const { exchangeId } = assertProblem(await person.post(VCI, { uri: issuer.offer(), count: 3 }), 502, 'upstream-error');
    issuer.twist = {};
    const all = await keysOf(person);
    assert.equal(all.length, 3);
    const { id } = all.find((key) => key.default);
    assert.equal((await person.post(`${KEYS}/${id}/revoke`, {})).status, 200);
    const [credential] = issuedCredentials(await person.post(VCI, { exchangeId }));
    assert.equal(credential.instances, 3);
    assert.notEqual(credential.holder.keyId, id);
  });

  it('keep the keys of their proofs while they can sign', async () => {
    const person = await wallet.logIn();
    at('credential', away);
    const { exchangeId } = assertProblem(await person.post(VCI, { uri: issuer.offer(), count: 3 }), 502, 'upstream-error');
    issuer.twist = {};
    const before = await keysOf(person);
    issuedCredentials(await person.post(VCI, { exchangeId }));
    assert.deepEqual(
      (await keysOf(person)).map(({ id }) => id),
      before.map(({ id }) => id),
    );
  });

  it('leave no keys of copies behind when nothing came of them', async () => {
    const person = await wallet.logIn();
    const { body: own } = await person.post(KEYS, {});
    at('credential', (reply) => void Object.assign(reply, { status: 400, body: { error: 'credential_request_denied' } }));
    assertProblem(await person.post(VCI, { uri: issuer.offer(), count: 5 }), 422, 'issuance-denied');
    assert.deepEqual(
      (await keysOf(person)).map(({ id }) => id),
      [own.id],
    );
  });

  it('keep what came of two, and ask for the other again', async () => {
    const person = await wallet.logIn();
    let asked = 0;
    at('credential', (reply) => void (++asked === 1 && away(reply)));
    const configurations = ['identity', 'membership'];
    const uri = issuer.offer({ configurations });
    const { exchangeId } = assertProblem(await person.post(VCI, { uri }), 502, 'upstream-error');
    assert.equal((await person.get(CREDENTIALS)).body[0].credentialConfigurationId, 'membership');
    const all = issuedCredentials(await person.post(VCI, { exchangeId }));
    assert.deepEqual(all.map(({ credentialConfigurationId: id }) => id).sort(), configurations);
    assert.equal((await credentialIds(person)).length, 2);
    assert.equal(issuer.asked('credential').length, 3);
    assert.deepEqual(
      issuer.notifications.map(({ event }) => event),
      ['credential_accepted', 'credential_accepted'],
    );
  });

  it('answer a repeated step with what it brought', async () => {
    const person = await wallet.logIn();
    const { exchangeId } = (await person.post(VCI, { uri: issuer.offer({ txCode: '1' }) })).body;
    const key = { headers: { 'Idempotency-Key': 'a-step' } };
    const first = await person.post(VCI, { exchangeId, txCode: '1' }, key);
    issuedCredentials(first);
    const again = await person.post(VCI, { exchangeId, txCode: '1' }, key);
    assert.deepEqual([again.status, again.body], [201, first.body]);
    assertProblem(await person.post(VCI, { exchangeId }, key), 409, 'idempotency-key-reused');
    assertProblem(await person.post(VCI, { exchangeId, txCode: '1' }), 409, 'exchange-finished');
  });
});
