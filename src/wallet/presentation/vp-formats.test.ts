// A verifier is only shown formats and algorithms that it supports.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { withMetadata } from '../../../test/support/hostile-verifier.ts';
import { IDENTITY, MEMBERSHIP, queryFor, setUpPresentation } from '../../../test/support/presentation.ts';
import { onEachWallet } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';

const SD_JWT = 'dc+sd-jwt';
const understands = (formats: object) => withMetadata({ vp_formats_supported: formats });

onEachWallet('Formats a verifier understands', (wallet) => {
  const world = setUpPresentation(wallet);
  const { verifier } = world;
  const errors = () => verifier.posted.map(({ error }) => error);

  for (const [what, formats] of Object.entries({
    'every algorithm': { [SD_JWT]: {} },
    'the algorithms of issuer and holder': { [SD_JWT]: { 'sd-jwt_alg_values': ['ES256'], 'kb-jwt_alg_values': ['ES256'] } },
    'the format by its former name': { 'vc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'] } },
    'other formats beside': { mso_mdoc: { issuerauth_alg_values: [-7] }, [SD_JWT]: {} },
  }))
    it(`answers one that understands ${what}`, async () => {
      const { person } = await world.holder();
      verifier.twist = understands(formats);
      assert.equal((await world.present(person)).status, 200);
      assert.equal(verifier.tokens.length, 1);
    });

  for (const [what, formats] of Object.entries({
    'no format': {},
    'other formats only': { mso_mdoc: { issuerauth_alg_values: [-7] }, jwt_vc_json: { alg_values: ['ES256'] } },
  }))
    it(`tells one that asks for what it does not understand: ${what}`, async () => {
      const { person } = await world.holder();
      verifier.twist = understands(formats);
      const { body } = await world.present(person, {}, { preview: true });
      assert.deepEqual([body.satisfiable, body.query[0].matches], [false, []]);
      assertProblem(await world.present(person), 422, 'no-matching-credential');
      assert.deepEqual(errors(), ['vp_formats_not_supported']);
    });

  for (const [what, formats] of Object.entries({
    'another algorithm of issuers': { [SD_JWT]: { 'sd-jwt_alg_values': ['ES384'], 'kb-jwt_alg_values': ['ES256'] } },
    'another algorithm of holders': { [SD_JWT]: { 'kb-jwt_alg_values': ['ES384', 'EdDSA'] } },
  }))
    it(`shows nothing to one that understands only ${what}, and does not tell whether there was something`, async () => {
      const { person } = await world.holder();
      verifier.twist = understands(formats);
      for (const holder of [person, await wallet.logIn()])
        assertProblem(await world.present(holder), 422, 'no-matching-credential');
      assert.deepEqual(errors(), ['access_denied', 'access_denied']);
      assert.deepEqual(verifier.tokens, []);
    });

  it('passes over what it cannot read, and shows an older one that it can', async () => {
    const { person, credential } = await world.holder();
    const key = await person.make('keys', { algorithm: 'EdDSA' });
    const newer = await world.receive(person, { body: { keyId: key.id } });
    assert.equal((await world.present(person)).body.presented[0].credentialId, newer.id);
    verifier.twist = understands({ [SD_JWT]: { 'kb-jwt_alg_values': ['ES256'] } });
    assert.equal((await world.present(person)).body.presented[0].credentialId, credential.id);
    verifier.twist = understands({ [SD_JWT]: { 'kb-jwt_alg_values': ['Ed25519'] } });
    assert.equal((await world.present(person)).body.presented[0].credentialId, newer.id);
  });

  it('does not ask what holders sign with of those who need no binding', async () => {
    const { person } = await world.holder();
    verifier.twist = understands({ [SD_JWT]: { 'kb-jwt_alg_values': ['ES384'] } });
    const query = { credentials: [queryFor('id', IDENTITY, { require_cryptographic_holder_binding: false })] };
    assert.equal((await world.present(person, { query })).status, 200);
  });

  it('answers by the option it can', async () => {
    const { person } = await world.holder();
    const query = {
      credentials: [
        { id: 'doc', format: 'mso_mdoc', meta: { doctype_value: 'x' } },
        queryFor('id', IDENTITY),
        queryFor('club', MEMBERSHIP),
      ],
      credential_sets: [{ options: [['doc'], ['id']] }],
    };
    verifier.twist = understands({ [SD_JWT]: {} });
    assert.deepEqual(Object.keys(await world.presentAndRead(person, { query })), ['id']);
  });
});
