// Wallets that are wrong in one thing: in the proof of their key, or in the request for a credential.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { compactDecrypt, exportJWK, generateKeyPair } from 'jose';
import { onUsualDatabase } from '../../../../test/support/api.ts';
import { deleteEndedRecords } from '../../../../test/support/ended-records.ts';
import { refusedAs, usesHostileWallets, withProofs } from '../../../../test/support/hostile-wallets.ts';
import {
  type Change,
  makeHolder,
  newKey,
  PUBLIC_WALLETS,
  type RoleHolder,
  type Token,
} from '../../../../test/support/role-credentials.ts';

/** The proof names its key by a DID. */
const namedBy =
  (kid: string): Change =>
  ({ header }) => {
    delete header.jwk;
    header.kid = kid;
  };

onUsualDatabase(
  'A hostile wallet',
  (api) => {
    const { world, person, wallet } = usesHostileWallets(api);
    let other: RoleHolder;
    before(async () => {
      other = await makeHolder(api, world);
    });

    describe('with a key proof', () => {
      let token: Token;
      before(async () => {
        token = await wallet.tokenFor(person, world.sdJwt);
      });
      const CASES: Readonly<Record<string, Change>> = {
        'for another issuer': ({ payload }) => {
          payload.aud = 'https://other.example';
        },
        'for several issuers': ({ payload }) => {
          payload.aud = [wallet.issuer, 'https://other.example'];
        },
        'for nobody': ({ payload }) => {
          delete payload.aud;
        },
        'of an hour ago': ({ payload }) => {
          payload.iat = wallet.now() - 3600;
        },
        'of tomorrow': ({ payload }) => {
          payload.iat = wallet.now() + 86_400;
        },
        'that has expired': ({ payload }) => {
          payload.exp = wallet.now() - 1;
        },
        'without a time': ({ payload }) => {
          delete payload.iat;
        },
        'without a nonce': ({ payload }) => {
          delete payload.nonce;
        },
        'of another type': ({ header }) => {
          header.typ = 'JWT';
        },
        'without a key': ({ header }) => {
          delete header.jwk;
        },
        'with two keys': ({ header }) => {
          header.kid = 'did:jwk:e30#0';
        },
        'with a key by a certificate': ({ header }) => {
          delete header.jwk;
          header.x5c = ['MIIB'];
        },
        'with a DID that somebody would have to fetch': ({ header }) => {
          delete header.jwk;
          header.kid = 'did:web:127.0.0.1#0';
        },
        'with a DID that is none': ({ header }) => {
          delete header.jwk;
          header.kid = 'did:jwk:AAAA#0';
        },
        'with a critical extension': ({ header }) => {
          header.crit = ['b64'];
          header.b64 = true;
        },
      };
      for (const [name, change] of Object.entries(CASES))
        it(`${name}`, async () => refusedAs(await wallet.ask(token, world.sdJwt, change), 'invalid_proof'));

      it('signed by another key than it names', async () => {
        const [named, signing] = await Promise.all([newKey(), newKey()]);
        const jwk = await exportJWK(named.publicKey);
        const proof = await wallet.proof({
          key: signing,
          change: ({ header }) => {
            header.jwk = jwk;
          },
        });
        refusedAs(await wallet.request(token, withProofs(world.sdJwt, [proof])), 'invalid_proof');
      });

      it('by a key of a DID that is not for authentication, or not for signatures', async () => {
        for (const about of [{ use: 'enc' }, { key_ops: ['deriveBits'] }, { alg: 'ECDH-ES' }]) {
          const key = await newKey();
          const jwk = Buffer.from(JSON.stringify({ ...(await exportJWK(key.publicKey)), ...about })).toString('base64url');
          const proof = await wallet.proof({ key, change: namedBy(`did:jwk:${jwk}#0`) });
          refusedAs(await wallet.request(token, withProofs(world.sdJwt, [proof])), 'invalid_proof');
        }
        const key = await newKey();
        const jwk = Buffer.from(JSON.stringify({ ...(await exportJWK(key.publicKey)), use: 'sig' })).toString('base64url');
        const good = await wallet.proof({ key, change: namedBy(`did:jwk:${jwk}#0`) });
        const answer = await wallet.request(token, withProofs(world.sdJwt, [good]));
        assert.equal(answer.status, 200, answer.text);
        const unknown = await wallet.proof({ key, change: namedBy(`did:jwk:${jwk}#1`) });
        refusedAs(await wallet.request(token, withProofs(world.sdJwt, [unknown])), 'invalid_proof');
      });

      it('whose key contains its private part', async () => {
        const key = await newKey();
        const jwk = await exportJWK(key.privateKey);
        const proof = await wallet.proof({
          key,
          change: ({ header }) => {
            header.jwk = jwk;
          },
        });
        refusedAs(await wallet.request(token, withProofs(world.sdJwt, [proof])), 'invalid_proof');
      });

      it('by a symmetric or unknown algorithm, or by none', async () => {
        const none = [{ alg: 'none', typ: 'openid4vci-proof+jwt' }, { aud: wallet.issuer }]
          .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
          .join('.');
        for (const jwt of [`${none}.`, `${none}.AAAA`, 'not a jwt', '', 5 as never])
          refusedAs(await wallet.request(token, withProofs(world.sdJwt, [jwt])), 'invalid_proof');
      });

      it('that was altered', async () => {
        const [header, payload, signature] = (await wallet.proof()).split('.');
        const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString());
        const altered = Buffer.from(JSON.stringify({ ...claims, iat: claims.iat - 1 })).toString('base64url');
        refusedAs(await wallet.request(token, withProofs(world.sdJwt, [`${header}.${altered}.${signature}`])), 'invalid_proof');
      });

      it('with a nonce that is not ours, or of another use', async () => {
        for (const nonce of ['x', 'v1.AAAA.BBBB', token.access_token])
          refusedAs(await wallet.request(token, withProofs(world.sdJwt, [await wallet.proof({ nonce })])), 'invalid_nonce');
      });

      it('whose nonce was used before, also by somebody else, and at the same time', async () => {
        const nonce = await wallet.nonce();
        const send = async (by: Token) => wallet.request(by, withProofs(world.sdJwt, [await wallet.proof({ nonce })]));
        const others = await wallet.tokenFor(other, world.sdJwt);
        const answers = await Promise.all([send(token), send(others), send(token)]);
        assert.equal(answers.filter(({ status }) => status === 200).length, 1);
        for (const answer of answers.filter(({ status }) => status !== 200)) refusedAs(answer, 'invalid_nonce');
        refusedAs(await send(token), 'invalid_nonce');
        // The same bytes, spelled in another way.
        for (const spelling of [
          `${nonce}=`,
          `${nonce} `,
          nonce.replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 1)),
        ])
          refusedAs(
            await wallet.request(token, withProofs(world.sdJwt, [await wallet.proof({ nonce: spelling })])),
            'invalid_nonce',
          );
      });

      it('whose nonce was used before, as long as that is good, also if the clock of another replica is ahead', async () => {
        const nonce = await wallet.nonce();
        const send = async () => wallet.request(token, withProofs(world.sdJwt, [await wallet.proof({ nonce })]));
        assert.equal((await send()).status, 200);
        api.clock.advance(350);
        await deleteEndedRecords(api);
        api.clock.advance(-70);
        const again = await send();
        api.clock.advance(-280);
        refusedAs(again, 'invalid_nonce');
      });

      it('that was sent before', async () => {
        const proof = await wallet.proof();
        assert.equal((await wallet.request(token, withProofs(world.sdJwt, [proof]))).status, 200);
        refusedAs(await wallet.request(token, withProofs(world.sdJwt, [proof])), 'invalid_nonce');
      });

      it('twice with one key, or too many of them', async () => {
        const [key, nonce] = [await newKey(), await wallet.nonce()];
        const same = await Promise.all([wallet.proof({ key, nonce }), wallet.proof({ key, nonce })]);
        refusedAs(await wallet.request(token, withProofs(world.sdJwt, same)), 'invalid_proof');
        const many = await Promise.all(Array.from({ length: 11 }, () => wallet.proof({ nonce })));
        refusedAs(await wallet.request(token, withProofs(world.sdJwt, many)), 'invalid_proof');
        assert.equal(
          (await wallet.request(token, withProofs(world.sdJwt, [many[0]!]))).status,
          200,
          'a refusal does not use up the nonce',
        );
      });

      it('of which one among good ones is bad: nothing is issued', async () => {
        const nonce = await wallet.nonce();
        const bad = await wallet.proof({ nonce, change: CASES['for another issuer']! });
        refusedAs(await wallet.request(token, withProofs(world.sdJwt, [await wallet.proof({ nonce }), bad])), 'invalid_proof');
      });
    });

    describe('with a request', () => {
      let token: Token;
      before(async () => {
        token = await wallet.tokenFor(person, world.sdJwt);
      });

      it('for an unknown configuration, or one that nobody granted', async () => {
        const proofs = { jwt: [await wallet.proof()] };
        const ask = (credential_configuration_id: string) => wallet.request(token, { credential_configuration_id, proofs });
        for (const id of ['unknown', 'unknown.sd_jwt', `${world.typeId}.mdoc`, `${world.sdJwt}.x`, '__proto__', '..'])
          refusedAs(await ask(id), 'unknown_credential_configuration');
        refusedAs(await ask(world.jwtVc), 'credential_request_denied');
      });

      it('for a credential identifier that it was not given', async () => {
        const proofs = { jwt: [await wallet.proof()] };
        refusedAs(await wallet.request(token, { credential_identifier: world.sdJwt, proofs }), 'unknown_credential_identifier');
      });

      it('that is malformed', async () => {
        const id = { credential_configuration_id: world.sdJwt };
        const jwt = [await wallet.proof()];
        refusedAs(await wallet.request(token, { proofs: { jwt } }), 'invalid_credential_request');
        refusedAs(
          await wallet.request(token, { ...id, credential_identifier: 'x', proofs: { jwt } }),
          'invalid_credential_request',
        );
        refusedAs(await wallet.request(token, { ...id, proofs: { jwt, ldp_vp: [] } }), 'invalid_credential_request');
        for (const proofs of [undefined, {}, { jwt: [] }, { attestation: ['x'] }, { jwt: 'x' }])
          refusedAs(await wallet.request(token, { ...id, proofs }), 'invalid_proof');
      });

      it('by compression: who asks for it gets an answer without, because the metadata offer none', async () => {
        const { publicKey, privateKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
        const jwk = { ...(await exportJWK(publicKey)), alg: 'ECDH-ES' };
        const request = {
          credential_configuration_id: world.sdJwt,
          proofs: { jwt: [await wallet.proof()] },
          credential_response_encryption: { jwk, enc: 'A256GCM', zip: 'DEF' },
        };
        const { status, text } = await wallet.request(token, await wallet.encrypt(request));
        assert.equal(status, 200, text);
        const { plaintext, protectedHeader } = await compactDecrypt(text, privateKey);
        assert.equal(protectedHeader.zip, undefined);
        assert.ok(JSON.parse(Buffer.from(plaintext).toString()).credentials.length > 0);
      });

      it('whose encryption is wrong', async () => {
        const id = { credential_configuration_id: world.sdJwt, proofs: { jwt: [await wallet.proof()] } };
        const { publicKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
        const jwk = { ...(await exportJWK(publicKey)), alg: 'ECDH-ES' };
        for (const encryption of [
          { jwk, enc: 'A128CBC-HS256' },
          { jwk: { ...jwk, alg: 'RSA1_5' }, enc: 'A256GCM' },
          { jwk: { kty: 'oct', k: 'AAAA', alg: 'dir' }, enc: 'A256GCM' },
          { jwk: { ...jwk, x: jwk.y }, enc: 'A256GCM' },
          { jwk: { ...jwk, use: 'sig' }, enc: 'A256GCM' },
          { jwk, enc: 'A256GCM', zip: { alg: 'DEF' } },
          'x',
          null,
        ])
          refusedAs(
            await wallet.request(token, await wallet.encrypt({ ...id, credential_response_encryption: encryption })),
            'invalid_encryption_parameters',
          );
        const replaceable = { ...id, credential_response_encryption: { jwk, enc: 'A256GCM' } };
        refusedAs(await wallet.request(token, replaceable), 'invalid_encryption_parameters');
        refusedAs(await wallet.request(token, 'not a jwe'), 'invalid_encryption_parameters');
        const elsewhere = await wallet.encrypt(id, (key) => {
          key.kid = 'requests-1';
        });
        refusedAs(await wallet.request(token, elsewhere), 'invalid_encryption_parameters');
        const compressed = await wallet.encrypt(id, () => undefined, { zip: 'DEF' });
        refusedAs(await wallet.request(token, compressed), 'invalid_encryption_parameters');
        const [first, ...rest] = (await wallet.encrypt(id)).split('.');
        refusedAs(
          await wallet.request(token, [first, ...rest.slice(0, 3), 'AAAAAAAAAAAAAAAAAAAAAA'].join('.')),
          'invalid_encryption_parameters',
        );
        assert.equal((await wallet.request(token, await wallet.encrypt(id))).status, 200, 'nothing was used up');
      });
    });
  },
  { settings: PUBLIC_WALLETS },
);
