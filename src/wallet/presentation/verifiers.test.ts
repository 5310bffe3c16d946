// Authentication of verifiers, by every client id prefix, and the settings for it.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { exportJWK } from 'jose';
import { certify, type TestCertificate } from '../../../test/support/certificates.ts';
import { newJwt, newSigner } from '../../../test/support/issuers.ts';
import { PresentationSetup, setUpPresentation } from '../../../test/support/presentation.ts';
import { type AskOptions, ToyVerifier, type VerifierIdentity } from '../../../test/support/toy-verifier.ts';
import { onUsualWallet, onWallet } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-verifiers-'));
after(() => rm(folder, { recursive: true, force: true }));

const root = certify({ name: 'CN=Root', ca: true });
const middle = certify({ name: 'CN=Middle', by: root, ca: true });
const leaf = certify({ name: 'CN=Verifier', by: middle, dns: ['localhost', 'verifier.example'] });
const identityOf = (one: TestCertificate, ...above: TestCertificate[]): VerifierIdentity => ({
  key: one.key,
  x5c: [one, ...above].map(({ der }) => der),
});
const anchorsFile = join(folder, 'anchors.pem');
writeFileSync(anchorsFile, root.certificate.toString());

const attester = newSigner();
const stranger = newSigner();
/** Registered before the node starts: it reads the file then. */
const shop = await new ToyVerifier().start();
after(() => shop.stop());
const verifiersFile = join(folder, 'verifiers.json');
writeFileSync(
  verifiersFile,
  JSON.stringify({ 'a-registered-verifier': { responseUris: [`${shop.url}/response`], name: 'The shop' } }),
);

onUsualWallet(
  'Knowing verifiers',
  (wallet) => {
    const world = setUpPresentation(wallet);
    const { verifier } = world;

    const accepted = async (options: AskOptions, at: PresentationSetup = world): Promise<any> => {
      const { person } = await at.holder();
      const answer = await at.present(person, options);
      assert.equal(answer.status, 200, answer.text);
      const { id } = await at.readToken(at.verifier.tokens[0]!);
      assert.equal(id![0]!.binding.aud, answer.body.verifier.clientId);
      return answer.body.verifier;
    };
    const refused = async (options: AskOptions, code: string, why?: RegExp, at: PresentationSetup = world): Promise<void> => {
      const { person } = await at.holder();
      assertProblem(await at.present(person, options), 422, code, why);
      assert.deepEqual(at.verifier.posted, []);
    };

    describe('whatever it writes as iss', () => {
      it('believes a DID that writes its client id there, as RFC 9101 wants it, or anything else', async () => {
        const did = await verifier.did();
        for (const iss of [did, `decentralized_identifier:${did}`, 'https://verifier.example', 'did:web:other.example', 7])
          for (const by of ['value', 'get'] as const) {
            verifier.twist = { request: ({ payload }) => void Object.assign(payload, { iss }) };
            const { trust, clientId } = await accepted({ by });
            assert.deepEqual([trust, clientId], ['did', `decentralized_identifier:${did}`]);
            verifier.reset();
          }
      });

      it('takes a key that is named by its fragment as one of the DID that asks, not of the one in iss', async () => {
        const kid = { request: ({ header }: { header: object }) => void Object.assign(header, { kid: '#0' }) };
        verifier.twist = kid;
        await accepted({});
        verifier.reset();
        verifier.twist = {
          request: (draft) => {
            Object.assign(draft.header, { kid: '#0' });
            draft.payload.iss = stranger.did;
            draft.key = stranger.key;
          },
        };
        await refused({}, 'invalid-presentation-request');
      });

      it('verifies the signature over what came, iss included', async () => {
        verifier.twist = {
          text(jwt) {
            const [head, body, signature] = jwt.split('.');
            const payload = JSON.parse(Buffer.from(body!, 'base64url').toString());
            return [head, Buffer.from(JSON.stringify({ ...payload, iss: 'added' })).toString('base64url'), signature].join('.');
          },
        };
        await refused({}, 'invalid-presentation-request');
      });
    });

    describe('by certificate', () => {
      before(() => {
        verifier.identity = identityOf(leaf, middle);
      });

      for (const prefix of ['x509_san_dns', 'x509_hash'] as const)
        for (const by of ['value', 'get', 'post'] as const)
          it(`believes ${prefix} when the chain leads to an anchor (${by})`, async () => {
            const { clientId, authenticated, trust, certificate } = await accepted({ prefix, by });
            assert.match(certificate.subject, /^CN=/);
            assert.ok(Date.parse(certificate.validUntil) > wallet.clock.now());
            assert.deepEqual([authenticated, trust], [true, 'anchor']);
            if (prefix === 'x509_san_dns') assert.equal(clientId, 'x509_san_dns:localhost');
            else assert.match(clientId, /^x509_hash:[\w-]{43}$/);
          });

      const other = certify({ name: 'CN=Other', ca: true });
      const DAY = 24 * 3600 * 1000;
      const wrong: [string, VerifierIdentity][] = [
        ['that leads to nobody trusted', identityOf(certify({ name: 'CN=V', by: other, dns: ['localhost'] }), other)],
        ['that signed itself', identityOf(certify({ name: 'CN=V', dns: ['localhost'] }))],
        ['in another order', identityOf(leaf, root, middle)],
        ['with a gap', identityOf(leaf)],
        [
          'whose leaf has expired',
          identityOf(
            certify({
              name: 'CN=V',
              by: root,
              dns: ['localhost'],
              from: new Date(Date.now() - 2 * DAY),
              until: new Date(Date.now() - DAY),
            }),
          ),
        ],
        [
          'whose leaf is not valid yet',
          identityOf(
            certify({
              name: 'CN=V',
              by: root,
              dns: ['localhost'],
              from: new Date(Date.now() + DAY),
              until: new Date(Date.now() + 2 * DAY),
            }),
          ),
        ],
        ['under one that is no authority', identityOf(certify({ name: 'CN=V', by: leaf, dns: ['localhost'] }), leaf, middle)],
      ];
      for (const [what, identity] of wrong)
        for (const prefix of ['x509_san_dns', 'x509_hash'] as const)
          it(`refuses a chain ${what} (${prefix})`, async () => {
            verifier.identity = identity;
            await refused({ prefix }, 'untrusted-verifier');
            verifier.identity = identityOf(leaf, middle);
          });

      it('refuses an answer to another host than the certificate names', async () => {
        for (const to of [verifier.url, 'http://verifier.example']) {
          verifier.twist = { request: ({ payload }) => void Object.assign(payload, { response_uri: `${to}/response` }) };
          await refused({ prefix: 'x509_san_dns' }, 'invalid-presentation-request');
        }
      });

      it('refuses a signature by another key than that of the certificate', async () => {
        verifier.identity = { ...identityOf(leaf, middle), key: stranger.key };
        for (const prefix of ['x509_san_dns', 'x509_hash'] as const) await refused({ prefix }, 'invalid-presentation-request');
        verifier.identity = identityOf(leaf, middle);
      });

      it('refuses a name that only looks as if the certificate had it', async () => {
        const posing = certify({ name: 'CN=V', by: root, dns: ['evil.example'], uris: ['https://e/, DNS:localhost, x'] });
        verifier.identity = identityOf(posing);
        const asLocalhost = (text: string): string => text.replace('evil.example', 'localhost');
        verifier.twist = {
          request: ({ payload }) => {
            payload.client_id = asLocalhost(payload.client_id);
          },
          parameters: (all) => all.set('client_id', asLocalhost(all.get('client_id')!)),
        };
        await refused({ prefix: 'x509_san_dns' }, 'invalid-presentation-request');
        verifier.identity = identityOf(leaf, middle);
      });
    });

    describe('by attestation', () => {
      const attest = async (by = attester, more: object = {}, header: object = {}): Promise<void> => {
        const claims = {
          iss: by.did,
          sub: 'verifier.example',
          exp: Math.floor(Date.now() / 1000) + 3600,
          cnf: { jwk: await exportJWK(verifier.publicKey) },
          redirect_uris: [`${verifier.url}/response`],
          ...more,
        };
        verifier.attestation = await newJwt(by, claims, { typ: 'verifier-attestation+jwt', ...header });
      };
      const prefix = 'verifier_attestation';

      it('believes one that a DID on the list made', async () => {
        await attest();
        const { clientId, authenticated, trust } = await accepted({ prefix });
        assert.deepEqual([clientId, authenticated, trust], ['verifier_attestation:verifier.example', true, 'attestation']);
      });

      it('refuses one that a certificate under an anchor made: it says who one is, not whom one may vouch for', async () => {
        const issuer = certify({ name: 'CN=Attester', by: root, dns: ['attester.example'] });
        const signer = { ...newSigner(issuer.key), did: 'https://attester.example' };
        await attest(signer, {}, { kid: undefined, x5c: [issuer.der] });
        await refused({ prefix }, 'untrusted-verifier', /nobody trusted/);
      });

      it('refuses one that the verifier, or any other stranger, made', async () => {
        await attest(stranger);
        await refused({ prefix }, 'untrusted-verifier', /nobody trusted/);
      });

      for (const [what, more, header] of [
        ['about another', { sub: 'other.example' }, {}],
        ['that has expired', { exp: 1 }, {}],
        ['without an end', { exp: undefined }, {}],
        ['for another address', { redirect_uris: ['https://other.example/'] }, {}],
        ['that is something else', {}, { typ: 'JWT' }],
      ] as const)
        it(`refuses one ${what}`, async () => {
          await attest(attester, more, header);
          await refused({ prefix }, 'untrusted-verifier');
        });

      it('refuses one for another key', async () => {
        await attest(attester, { cnf: { jwk: stranger.jwk } });
        await refused({ prefix }, 'invalid-presentation-request');
        await attest();
        verifier.twist = {
          request: (draft) => {
            draft.header.jwk = stranger.jwk;
            draft.key = stranger.key;
          },
        };
        await refused({ prefix }, 'untrusted-verifier', /signature/);
      });

      it('refuses one that was changed after it was signed, and a request without one', async () => {
        await attest();
        const [head, body, signature] = verifier.attestation!.split('.');
        const claims = JSON.parse(Buffer.from(body!, 'base64url').toString());
        verifier.attestation = [
          head,
          Buffer.from(JSON.stringify({ ...claims, exp: claims.exp + 1 })).toString('base64url'),
          signature,
        ].join('.');
        await refused({ prefix }, 'untrusted-verifier', /signature/);
        verifier.attestation = undefined;
        await refused({ prefix }, 'invalid-presentation-request');
      });
    });

    describe('by registration', () => {
      const atShop = Object.assign(new PresentationSetup(wallet), { issuer: world.issuer, verifier: shop });
      beforeEach(() => shop.reset());

      it('believes a client id with an address an operator named, and says that it proves nothing', async () => {
        for (const mode of ['direct_post', 'direct_post.jwt'] as const) {
          shop.reset();
          const found = await accepted({ by: 'unsigned', prefix: 'registered', mode }, atShop);
          const { clientId, name, authenticated, trust } = found;
          assert.deepEqual([clientId, name, authenticated, trust], ['a-registered-verifier', 'The shop', false, 'registered']);
        }
      });

      it('refuses another address, and a client id nobody registered', async () => {
        shop.twist = { request: ({ payload }) => void Object.assign(payload, { response_uri: `${shop.url}/elsewhere` }) };
        await refused({ by: 'unsigned', prefix: 'registered' }, 'untrusted-verifier', undefined, atShop);
        for (const id of ['somebody-else', 'constructor', '__proto__']) {
          shop.twist = {
            request: ({ payload }) => void Object.assign(payload, { client_id: id }),
            parameters: (all) => all.set('client_id', id),
          };
          await refused({ by: 'unsigned', prefix: 'registered' }, 'untrusted-verifier', undefined, atShop);
        }
      });
    });
  },
  {
    settings: {
      GATEHOUSE_WALLET_TRUST_ANCHORS: anchorsFile,
      GATEHOUSE_WALLET_VERIFIERS_FILE: verifiersFile,
      GATEHOUSE_WALLET_TRUSTED_DIDS: attester.did,
    },
  },
);

const changing = join(folder, 'changing.pem');
writeFileSync(changing, '');
onWallet('SQLite', 'Trust anchors that change', { settings: { GATEHOUSE_WALLET_TRUST_ANCHORS: changing } }, (wallet) => {
  const world = setUpPresentation(wallet);

  it('are read again while the node runs', async () => {
    world.verifier.identity = identityOf(leaf, middle);
    const { person } = await world.holder();
    const ask = () => world.present(person, { prefix: 'x509_hash' });
    assertProblem(await ask(), 422, 'untrusted-verifier');
    writeFileSync(changing, root.certificate.toString());
    await wait(5_200);
    assert.equal((await ask()).status, 200);
    writeFileSync(changing, '');
    await wait(5_200);
    assertProblem(await ask(), 422, 'untrusted-verifier');
    assert.equal(world.verifier.posted.length, 1);
  });
});

onUsualWallet(
  'Serving only verifiers that prove who they are',
  (wallet) => {
    const world = setUpPresentation(wallet);

    it('refuses one that proves nothing, and serves the others', async () => {
      const { person } = await world.holder();
      const answer = await world.present(person, { by: 'unsigned', prefix: 'redirect_uri' });
      assertProblem(answer, 422, 'untrusted-verifier', /prove/);
      assert.deepEqual(world.verifier.posted, []);
      assert.equal((await world.present(person)).status, 200);
    });
  },
  { settings: { GATEHOUSE_WALLET_UNAUTHENTICATED_VERIFIERS: 'off' } },
);
