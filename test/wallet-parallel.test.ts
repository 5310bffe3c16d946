// Many concurrent exchanges: nothing is lost, and nothing is presented twice.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { ApiAnswer } from './support/api.ts';
import { inFullRun, itAtLength } from './support/extent.ts';
import { ToyIssuer } from './support/toy-issuer.ts';
import { IDENTITY_QUERY, ToyVerifier } from './support/toy-verifier.ts';
import { onEachWallet } from './support/wallet.ts';

const TOGETHER = 25;

onEachWallet('Exchanges that come together', (wallet) => {
  const issuer = new ToyIssuer();
  const verifier = new ToyVerifier();
  before(async () => {
    issuer.batchSize = 50;
    await issuer.start();
    await verifier.start();
  });
  after(async () => {
    await issuer.stop();
    await verifier.stop();
  });

  const COPIES = inFullRun(50, 10);
  it('a batch of copies is received whole, and twice as many presentations of it arrive', async () => {
    const person = await wallet.logIn();
    const received = await person.post('/api/v1/wallet/oid4vci', { uri: issuer.offer(), count: COPIES });
    assert.equal(received.status, 201, received.text);
    assert.equal(received.body.credentials[0].instances, COPIES);

    const requests = await Promise.all(Array.from({ length: 2 * COPIES }, () => verifier.ask({ query: IDENTITY_QUERY })));
    const answers: ApiAnswer[] = [];
    // Many but not all at once, because they share a process with the verifier, which has ten seconds for each answer.
    for (let at = 0; at < requests.length; at += TOGETHER)
      answers.push(
        ...(await Promise.all(requests.slice(at, at + TOGETHER).map((uri) => person.post('/api/v1/wallet/oid4vp', { uri })))),
      );
    assert.deepEqual(
      answers.filter(({ status }) => status !== 200).map(({ text }) => text),
      [],
    );
    assert.equal(verifier.posted.length, 2 * COPIES);
    const jwts = verifier.posted.map(({ vp_token: token }) => (token.id[0] as string).split('~', 1)[0]!);
    // Each copy is used once while others are left; then the last one is reused.
    assert.equal(new Set(jwts).size, COPIES);
    const [credential] = (await person.get('/api/v1/wallet/credentials')).body;
    assert.equal(credential.instances, 1);
  });

  itAtLength('twenty offers of one person are all kept', async () => {
    const person = await wallet.logIn();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => person.post('/api/v1/wallet/oid4vci', { uri: issuer.offer() })),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    const held = await person.get('/api/v1/wallet/credentials?limit=200');
    assert.equal(held.body.length, 20);
  });
});
