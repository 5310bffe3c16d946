import assert from 'node:assert/strict';
import { it } from 'node:test';
import { compactDecrypt, exportJWK, generateKeyPair } from 'jose';
import { assertOk } from '../../../../test/support/answers.ts';
import { onEachDatabase } from '../../../../test/support/api.ts';
import {
  makeHolder,
  makeOffer,
  newKey,
  PRE_AUTHORIZED,
  readJwt,
  readSdJwt,
  TestCredentialWallet,
  usesRoleWorld,
} from '../../../../test/support/role-credentials.ts';
import { thumbprintOf } from '../../../verifiable/jose/index.ts';
import { didJwkOf } from '../../../verifiable/resolver/index.ts';

onEachDatabase('Receiving a role as a credential', (api) => {
  const { world, person } = usesRoleWorld(api, { subject: 'user' });
  const wallet = new TestCredentialWallet(api);
  const tokenFor = (id: string, by = wallet) => by.tokenFor(person, id);

  it('publishes what it issues, and how', async () => {
    const metadata = await wallet.metadata();
    assert.equal(metadata.credential_issuer, wallet.issuer);
    const { [world.sdJwt]: sdJwt, [world.jwtVc]: jwtVc } = metadata.credential_configurations_supported;
    assert.equal(sdJwt.format, 'dc+sd-jwt');
    assert.equal(sdJwt.vct, `${wallet.issuer}/openid/credential-types/${world.typeId}`);
    assert.equal(sdJwt.scope, world.scope);
    assert.deepEqual(jwtVc.credential_definition.type[0], 'VerifiableCredential');
    assert.equal(metadata.batch_credential_issuance.batch_size, 10);
    const server = (await wallet.send('/.well-known/oauth-authorization-server')).body;
    assert.equal(server['pre-authorized_grant_anonymous_access_supported'], true);
    assert.ok(server.grant_types_supported.includes(PRE_AUTHORIZED));
    assert.deepEqual(server.authorization_details_types_supported, ['openid_credential']);
  });

  it('signs its metadata for clients that ask for it', async () => {
    const answer = await wallet.send('/.well-known/openid-credential-issuer', { headers: { Accept: 'application/jwt' } });
    assert.equal(answer.headers.get('content-type'), 'application/jwt');
    const { header, payload } = readJwt(answer.text);
    assert.equal(header.typ, 'openidvci-issuer-metadata+jwt');
    assert.ok(header.x5c.length > 0);
    assert.equal(payload.sub, wallet.issuer);
    assert.equal(payload.credential_endpoint, `${wallet.issuer}/openid/credentials/credential`);
  });

  it('lists what a person can receive', async () => {
    const { body } = await api.get(`/v3/users/${person.id}/OS-ROLE-CREDENTIALS/types`, { token: person.token });
    assert.deepEqual(
      body.types.map((type: any) => [type.type_id, type.credential_configuration_ids]),
      [[world.typeId, [world.sdJwt, `${world.typeId}.sd_jwt_older`, world.jwtVc]]],
    );
  });

  it('is issued for a pre-authorized code with a transaction code, as an SD-JWT', async () => {
    const { uri, tx_code: code } = await makeOffer(api, person, [world.sdJwt]);
    assert.match(code!, /^\d{6}$/);
    const token = await wallet.token(uri, code);
    assert.equal(token.token_type, 'Bearer');
    const key = await newKey();
    const proof = await wallet.proof({ key });
    const { body, status, text } = await wallet.request(token, {
      credential_configuration_id: world.sdJwt,
      proofs: { jwt: [proof] },
    });
    assert.equal(status, 200, text);
    const { header, payload, disclosed } = readSdJwt(body.credentials[0].credential);
    assert.equal(header.typ, 'dc+sd-jwt');
    assert.equal(payload.iss, wallet.issuer);
    assert.equal(payload.sub, person.id);
    assert.deepEqual(payload.roles, [{ target: world.application.id, application: world.application.name, names: ['manager'] }]);
    assert.equal(payload.vct, `${wallet.issuer}/openid/credential-types/${world.typeId}`);
    const { kty, crv, x, y } = await exportJWK(key.publicKey);
    assert.deepEqual(payload.cnf, { jwk: { kty, crv, x, y } });
    assert.ok(payload.status.status_list.uri.startsWith(`${wallet.issuer}/openid/status-lists/`));
    assert.deepEqual(Object.keys(disclosed).sort(), ['email', 'name']);
    assert.equal(payload.name, undefined, 'the holder decides who sees it');
  });

  it('is one of several that were offered, if the wallet names it by authorization details', async () => {
    const { uri, tx_code: code } = await makeOffer(api, person, [world.sdJwt, world.jwtVc]);
    const detail = { type: 'openid_credential', credential_configuration_id: world.jwtVc };
    const { body: token, text } = await wallet.redeem(uri, code, { authorization_details: JSON.stringify([detail]) });
    assert.deepEqual(token.authorization_details, [{ ...detail, credential_identifiers: [world.jwtVc] }], text);
    const ask = async (named: object) => wallet.request(token, { ...named, proofs: { jwt: [await wallet.proof()] } });
    assert.equal((await ask({ credential_identifier: world.sdJwt })).body.error, 'unknown_credential_identifier');
    const { status } = await ask({ credential_identifier: token.authorization_details[0].credential_identifiers[0] });
    assert.equal(status, 200);
  });

  it('is offered as often as offers are used', async () => {
    const often = await makeHolder(api, world);
    for (let time = 0; time < 21; time++) assert.ok(await wallet.tokenFor(often, world.sdJwt));
  });

  it('is issued under the older name of the format', async () => {
    const id = `${world.typeId}.sd_jwt_older`;
    assert.equal(readSdJwt(await wallet.receive(await tokenFor(id), id)).header.typ, 'vc+sd-jwt');
  });

  it('is issued as a W3C credential, about the DID of a wallet that has one', async () => {
    const key = await newKey();
    const jwk = (await exportJWK(key.publicKey)) as never;
    const did = didJwkOf(jwk);
    const proof = await wallet.proof({
      key,
      change: ({ header }) => {
        delete header.jwk;
        header.kid = `${did}#0`;
      },
    });
    const token = await tokenFor(world.jwtVc);
    const { body, text } = await wallet.request(token, { credential_configuration_id: world.jwtVc, proofs: { jwt: [proof] } });
    assert.ok(body.credentials, text);
    const { header, payload } = readJwt(body.credentials[0].credential);
    assert.equal(header.typ, 'vc+jwt');
    assert.equal(payload.credentialSubject.id, did);
    assert.equal(payload.sub, did);
    assert.deepEqual(payload.credentialSubject.roles, [
      { target: world.application.id, application: world.application.name, names: ['manager'] },
    ]);
    assert.equal(payload.credentialStatus[0].type, 'BitstringStatusListEntry');
  });

  it('takes a token that is bound to a key (DPoP)', async () => {
    const bound = await new TestCredentialWallet(api).withDpop();
    const token = await tokenFor(world.sdJwt, bound);
    assert.equal(token.token_type, 'DPoP');
    assert.ok(await bound.receive(token, world.sdJwt));
    assert.ok(await bound.receive(token, world.sdJwt), 'the token is good for as long as it lasts');
  });

  it('gives a nonce to a wallet that says its empty request is a form', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const { status, body } = await wallet.send('/openid/credentials/nonce', { method: 'POST', headers, body: '' });
    assert.equal(status, 200);
    assert.ok(body.c_nonce);
  });

  it('issues a copy for each key, each with an entry of its own', async () => {
    const token = await tokenFor(world.sdJwt);
    const keys = await Promise.all([newKey(), newKey(), newKey()]);
    const nonce = await wallet.nonce();
    const jwt = await Promise.all(keys.map((key) => wallet.proof({ key, nonce })));
    const { body, text } = await wallet.request(token, { credential_configuration_id: world.sdJwt, proofs: { jwt } });
    assert.equal(body.credentials?.length, 3, text);
    const read = body.credentials.map(({ credential }: { credential: string }) => readSdJwt(credential).payload);
    const thumbprints = await Promise.all(keys.map(async ({ publicKey }) => thumbprintOf((await exportJWK(publicKey)) as never)));
    assert.deepEqual(
      read.map(({ cnf }: any) => thumbprintOf(cnf.jwk)),
      thumbprints,
    );
    assert.equal(new Set(read.map(({ status }: any) => status.status_list.idx)).size, 3);
  });

  it('reads encrypted requests, and encrypts its answer', async () => {
    const token = await tokenFor(world.sdJwt);
    const { publicKey, privateKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), alg: 'ECDH-ES', use: 'enc', kid: 'mine' };
    const body = {
      credential_configuration_id: world.sdJwt,
      proofs: { jwt: [await wallet.proof()] },
      credential_response_encryption: { jwk, enc: 'A256GCM' },
    };
    const answer = await wallet.request(token, await wallet.encrypt(body));
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers.get('content-type'), 'application/jwt');
    const { plaintext, protectedHeader } = await compactDecrypt(answer.text, privateKey);
    assert.equal(protectedHeader.kid, 'mine');
    assert.equal(JSON.parse(Buffer.from(plaintext).toString()).credentials.length, 1);
  });

  it('is told by the wallet what became of it', async () => {
    const token = await tokenFor(world.sdJwt);
    const { body } = await wallet.ask(token, world.sdJwt);
    const notify = async (content: object) =>
      wallet.send('/openid/credentials/notification', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...(await wallet.authorization(token, '')) },
        body: JSON.stringify(content),
      });
    const told = await notify({ notification_id: body.notification_id, event: 'credential_accepted' });
    assert.equal(told.status, 204, told.text);
    assert.equal(
      (await notify({ notification_id: 'another', event: 'credential_accepted' })).body.error,
      'invalid_notification_id',
    );
    const odd = await notify({ notification_id: body.notification_id, event: 'credential_lost' });
    assert.equal(odd.body.error, 'invalid_notification_request');
    assert.equal((await notify({ notification_id: 7, event: 'credential_accepted' })).body.error, odd.body.error);
    const failed = await notify({ notification_id: body.notification_id, event: 'credential_failure' });
    assert.equal(failed.status, 204, failed.text);
    const written = async (action: string) =>
      assertOk(await api.get(`/v3/OS-AUDIT/events?action=issued_credential.${action}`)).events.map(
        ({ outcome }: { outcome: string }) => outcome,
      );
    assert.deepEqual([await written('accepted'), await written('failure')], [['success'], ['failure']]);
  });
});
