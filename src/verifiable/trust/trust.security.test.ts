// Trusted issuers are not trusted as verifiers, or vice versa; and the usages of certificates are enforced.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { certify, type TestCertificate, usages } from '../../../test/support/certificates.ts';
import { PresentationSetup, VCI } from '../../../test/support/presentation.ts';
import { onUsualWallet, onWallet, type TestWallet, type WalletUser } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';

const SERVER = '1.3.6.1.5.5.7.3.1';
const DOCUMENTS = '1.0.18013.5.1.2';
const READERS = '1.0.18013.5.1.6';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-anchors-'));
after(() => rm(folder, { recursive: true, force: true }));
const fileOf = (name: string, ...all: TestCertificate[]): string => {
  const file = join(folder, name);
  writeFileSync(file, all.map(({ certificate }) => certificate.toString()).join(''));
  return file;
};

const [issuers, verifiers] = [certify({ name: 'CN=Issuers', ca: true }), certify({ name: 'CN=Verifiers', ca: true })];
const issuersFile = fileOf('issuers.pem', issuers);
const verifiersFile = fileOf('verifiers.pem', verifiers);
const bothFile = fileOf('both.pem', issuers, verifiers);
const noneFile = fileOf('none.pem');

/** Somebody who signs, below an anchor. */
const below = (anchor: TestCertificate, ...oids: string[]): TestCertificate =>
  certify({ name: 'CN=Somebody', by: anchor, dns: ['localhost'], extensions: oids.length > 0 ? [usages(...oids)] : [] });

function worldOf(wallet: TestWallet) {
  const world = new PresentationSetup(wallet);
  // In a hook: a suite that is left out begins nothing that it would not end.
  before(async () => {
    await world.issuer.start();
    await world.verifier.start();
  });
  after(async () => {
    await world.issuer.stop();
    await world.verifier.stop();
  });
  return {
    /** Receives a credential that this one signed; without a name, so that the chain alone says who it is. */
    async issue(person: WalletUser, by: TestCertificate): Promise<any> {
      world.issuer.twist = {
        credential(draft) {
          delete draft.payload.iss;
          delete draft.header.kid;
          Object.assign(draft, { key: by.key, header: { ...draft.header, x5c: [by.der] } });
        },
      };
      const answer = await person.post(VCI, { uri: world.issuer.offer() });
      world.issuer.twist = {};
      return answer;
    },
    async ask(person: WalletUser, by: TestCertificate): Promise<any> {
      world.verifier.identity = { key: by.key, x5c: [by.der] };
      return world.present(person, { prefix: 'x509_hash' });
    },
  };
}

const settings = {
  GATEHOUSE_WALLET_ISSUER_TRUST_ANCHORS: issuersFile,
  GATEHOUSE_WALLET_VERIFIER_TRUST_ANCHORS: verifiersFile,
  GATEHOUSE_WALLET_ISSUER_TRUST: 'listed',
};

onUsualWallet(
  'Anchors for issuers and anchors for verifiers',
  (wallet) => {
    const { issue, ask } = worldOf(wallet);

    it('lets those issue who are below the first, and those ask who are below the second', async () => {
      const person = await wallet.logIn();
      for (const by of [below(issuers), below(issuers, DOCUMENTS)]) {
        const answer = await issue(person, by);
        assert.equal(answer.status, 201, answer.text);
        assert.equal(answer.body.credentials[0].issuer.trust, 'anchor');
      }
      for (const by of [below(verifiers), below(verifiers, READERS), below(verifiers, SERVER)]) {
        const answer = await ask(person, by);
        assert.equal(answer.body.status, 'submitted', answer.text);
      }
    });

    it('does not let verifiers issue, or issuers act as verifiers', async () => {
      const person = await wallet.logIn();
      for (const by of [below(verifiers), below(verifiers, DOCUMENTS)])
        assertProblem(await issue(person, by), 422, 'untrusted-issuer', /none that is trusted/);
      for (const by of [below(issuers), below(issuers, READERS)])
        assertProblem(await ask(person, by), 422, 'untrusted-verifier', /none that is trusted/);
    });

    it('lets nobody issue whose certificate is for something else, below the right anchor', async () => {
      const person = await wallet.logIn();
      for (const oids of [[SERVER], [READERS], [SERVER, READERS]])
        assertProblem(await issue(person, below(issuers, ...oids)), 422, 'untrusted-issuer', /another purpose/);
      assertProblem(await ask(person, below(verifiers, DOCUMENTS)), 422, 'untrusted-verifier', /another purpose/);
    });
  },
  { settings },
);

onWallet('SQLite', 'One file of anchors', { settings: { GATEHOUSE_WALLET_TRUST_ANCHORS: bothFile } }, (wallet) => {
  const { issue, ask } = worldOf(wallet);

  it('stands for both where they have none of their own', async () => {
    const person = await wallet.logIn();
    assert.equal((await issue(person, below(verifiers))).status, 201);
    assert.equal((await ask(person, below(issuers))).body.status, 'submitted');
  });
});

onWallet(
  'SQLite',
  'An empty file of anchors',
  { settings: { GATEHOUSE_WALLET_TRUST_ANCHORS: bothFile, GATEHOUSE_WALLET_VERIFIER_TRUST_ANCHORS: noneFile } },
  (wallet) => {
    const { issue, ask } = worldOf(wallet);

    it('is one that trusts nobody, whatever the other file says', async () => {
      const person = await wallet.logIn();
      assert.equal((await issue(person, below(issuers))).status, 201);
      assertProblem(await ask(person, below(verifiers)), 422, 'untrusted-verifier');
    });
  },
);
