import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { AsnConvert } from '@peculiar/asn1-schema';
import { ExtendedKeyUsage } from '@peculiar/asn1-x509';
import { certify } from '../../../test/support/certificates.ts';
import { issuerWorld, NOW, newSigner } from '../../../test/support/issuers.ts';
import { TrustError } from './errors.ts';
import { metadataUrlOf } from './issuer-metadata.ts';
import { subjectOf } from './trust.ts';

const ISSUER = 'https://issuer.example/tenants/a';
const METADATA = 'https://issuer.example/.well-known/jwt-vc-issuer/tenants/a';

const because = (code: TrustError['code']) => (error: unknown) => {
  assert.ok(error instanceof TrustError, String(error));
  assert.equal(error.code, code, error.message);
  return true;
};

const signer = newSigner();
const FROM = new Date(NOW - 1000);
const UNTIL = new Date(NOW + 1000);
const root = certify({ name: 'CN=Root', ca: true, from: FROM, until: UNTIL });
const leafOf = (names: { dns?: string[]; uris?: string[] }, key = signer.key) =>
  certify({ name: 'C=DE, O=Office, CN=Signer', by: root, from: FROM, until: UNTIL, key, ...names });

describe('The key of an issuer with a DID', () => {
  it('is the one the header names, when its document lists it for assertions', async () => {
    const { trust } = issuerWorld();
    assert.deepEqual(await trust.keyOfJwt({ kid: signer.didUrl }, signer.did), { jwk: signer.jwk, trust: 'did' });
    assert.deepEqual(await trust.keyOfJwt({ kid: '#0' }, signer.did), { jwk: signer.jwk, trust: 'did' });
    assert.deepEqual(await trust.keyOfDid(signer.didUrl, signer.did, 'authentication'), { jwk: signer.jwk, trust: 'did' });
  });

  it('is not one of another DID, nor of nobody', async () => {
    const { trust } = issuerWorld();
    const other = newSigner();
    for (const kid of [other.didUrl, undefined, 7, 'key-1', `${signer.did}x#0`, `${signer.did}#1`])
      await assert.rejects(trust.keyOfJwt({ kid }, signer.did), because('mismatch'), String(kid));
  });

  it('is not one the document lists for something else', async () => {
    const { trust, world } = issuerWorld();
    const did = 'did:web:issuer.example';
    const method = { id: `${did}#k`, type: 'JsonWebKey', controller: did, publicKeyJwk: signer.jwk };
    world.answers.set('https://issuer.example/.well-known/did.json', {
      id: did,
      verificationMethod: [method],
      authentication: [`${did}#k`],
    });
    await assert.rejects(trust.keyOfJwt({ kid: `${did}#k` }, did), because('mismatch'));
    assert.deepEqual((await trust.keyOfDid(`${did}#k`, did, 'authentication')).jwk, signer.jwk);
  });

  it('cannot be had while its host is away', async () => {
    const did = 'did:web:away.example';
    await assert.rejects(issuerWorld().trust.keyOfJwt({ kid: `${did}#k` }, did), because('unreachable'));
  });

  it('counts only when the DID is on the list, where there is one', async () => {
    const listed = issuerWorld({ policy: { mode: 'listed', dids: [signer.did] } });
    assert.equal((await listed.trust.keyOfJwt({ kid: signer.didUrl }, signer.did)).trust, 'did');
    const other = newSigner();
    await assert.rejects(listed.trust.keyOfJwt({ kid: other.didUrl }, other.did), because('untrusted'));
  });
});

describe('The key an https issuer publishes', () => {
  const publish = (metadata: unknown, extra: Record<string, unknown> = {}) => {
    const { trust, world } = issuerWorld();
    world.answers.set(METADATA, metadata);
    for (const [url, answer] of Object.entries(extra)) world.answers.set(url, answer);
    return trust;
  };
  const jwk = { ...signer.jwk, kid: 'one' };

  it('is at the well-known address, between host and path', () => {
    assert.equal(metadataUrlOf(ISSUER), METADATA);
    assert.equal(metadataUrlOf('https://issuer.example'), 'https://issuer.example/.well-known/jwt-vc-issuer');
    assert.equal(metadataUrlOf('https://issuer.example/'), 'https://issuer.example/.well-known/jwt-vc-issuer');
    assert.equal(metadataUrlOf('https://issuer.example:8443/a/'), 'https://issuer.example:8443/.well-known/jwt-vc-issuer/a');
  });

  it('is found by its kid, in the metadata or where it points', async () => {
    const other = { ...newSigner().jwk, kid: 'two' };
    const expected = { jwk: signer.jwk, trust: 'issuer-metadata' };
    const inline = publish({ issuer: ISSUER, jwks: { keys: [other, jwk] } });
    assert.deepEqual(await inline.keyOfJwt({ kid: 'one' }, ISSUER), expected);
    const pointed = publish({ issuer: ISSUER, jwks_uri: 'https://keys.example/' }, { 'https://keys.example/': { keys: [jwk] } });
    assert.deepEqual(await pointed.keyOfJwt({ kid: 'one' }, ISSUER), expected);
    assert.deepEqual(await pointed.keyOfJwt({}, ISSUER), expected);
  });

  it('is not guessed: of two without a kid, or with one that is not there, or with the same', async () => {
    const two = publish({ issuer: ISSUER, jwks: { keys: [jwk, { ...newSigner().jwk, kid: 'two' }] } });
    await assert.rejects(two.keyOfJwt({}, ISSUER), because('mismatch'));
    await assert.rejects(two.keyOfJwt({ kid: 'three' }, ISSUER), because('mismatch'));
    const same = publish({ issuer: ISSUER, jwks: { keys: [jwk, { ...newSigner().jwk, kid: 'one' }] } });
    await assert.rejects(same.keyOfJwt({ kid: 'one' }, ISSUER), because('mismatch'));
  });

  it('is refused from metadata of another issuer, by plain comparison', async () => {
    for (const issuer of [`${ISSUER}/`, ISSUER.toUpperCase(), 'https://issuer.example', undefined])
      await assert.rejects(publish({ issuer, jwks: { keys: [jwk] } }).keyOfJwt({}, ISSUER), because('mismatch'), String(issuer));
  });

  it('is refused when it is a private or symmetric one, or none', async () => {
    const secret = { ...(signer.key.export({ format: 'jwk' }) as object), kid: 'one' };
    for (const key of [secret, { kty: 'oct', k: 'AAAA', kid: 'one' }, { kid: 'one' }, null, 'x'])
      await assert.rejects(publish({ issuer: ISSUER, jwks: { keys: [key] } }).keyOfJwt({}, ISSUER), because('mismatch'));
  });

  it('is refused when it is published for something else than verifying signatures', async () => {
    const others = [
      { use: 'enc' },
      { use: 7 },
      { key_ops: ['deriveKey'] },
      { key_ops: [] },
      { key_ops: 'verify' },
      { alg: 'ECDH-ES' },
    ];
    for (const more of others)
      await assert.rejects(
        publish({ issuer: ISSUER, jwks: { keys: [{ ...jwk, ...more }] } }).keyOfJwt({}, ISSUER),
        because('mismatch'),
        JSON.stringify(more),
      );
    for (const more of [{ use: 'sig', alg: 'ES256' }, { key_ops: ['sign', 'verify'] }])
      assert.ok(await publish({ issuer: ISSUER, jwks: { keys: [{ ...jwk, ...more }] } }).keyOfJwt({}, ISSUER));
  });

  it('is refused when the metadata is not what it should be', async () => {
    const many = { keys: Array.from({ length: 51 }, (_, at) => ({ ...jwk, kid: `${at}` })) };
    const wrong = ['[]', 'null', '{', { issuer: ISSUER }, { issuer: ISSUER, jwks: {} }, { issuer: ISSUER, jwks: many }];
    for (const metadata of wrong)
      await assert.rejects(publish(metadata).keyOfJwt({ kid: '1' }, ISSUER), because('mismatch'), JSON.stringify(metadata));
  });

  it('cannot be had when nobody answers, or not with success', async () => {
    await assert.rejects(issuerWorld().trust.keyOfJwt({}, ISSUER), because('unreachable'));
    await assert.rejects(publish(404).keyOfJwt({}, ISSUER), because('unreachable'));
  });

  it('does not count where issuers are listed, and nobody is asked', async () => {
    const { trust, world } = issuerWorld({ policy: { mode: 'listed', dids: [] } });
    await assert.rejects(trust.keyOfJwt({}, ISSUER), because('untrusted'));
    assert.deepEqual(world.asked, []);
  });

  it('is not looked for at what is no web address', async () => {
    const { trust, world } = issuerWorld();
    for (const issuer of ['urn:issuer', 'javascript:1', 'file:///etc/passwd', 'issuer', '', undefined])
      await assert.rejects(trust.keyOfJwt({ kid: 'one' }, issuer), because('mismatch'), String(issuer));
    assert.deepEqual(world.asked, []);
  });
});

describe('The key in a certificate', () => {
  const trusting = (policy?: Parameters<typeof issuerWorld>[0]) => {
    const { trust, world } = issuerWorld(policy);
    world.anchors.push(root);
    return trust;
  };

  it('is the issuer’s when its host or its address is in the alternative names', async () => {
    const trust = trusting({ policy: { mode: 'listed', dids: [] } });
    for (const names of [{ dns: ['issuer.example'] }, { dns: ['x.test', 'issuer.example'] }, { uris: [ISSUER] }]) {
      const { jwk, trust: by, leaf } = await trust.keyOfJwt({ x5c: [leafOf(names).der] }, ISSUER);
      assert.deepEqual([jwk, by], [signer.jwk, 'anchor']);
      assert.equal(subjectOf(leaf!), 'C=DE, O=Office, CN=Signer');
    }
  });

  it('is the issuer’s of an exact address by whatever scheme, where peers without https are spoken to, and nowhere else', async () => {
    const [development, production] = [trusting({ isDevelopment: true }), trusting()];
    for (const issuer of ['http://localhost:3000/issuer', 'urn:example:issuer']) {
      const x5c = [leafOf({ uris: ['urn:other', issuer] }).der];
      assert.equal((await development.keyOfJwt({ x5c }, issuer)).trust, 'anchor');
      await assert.rejects(production.keyOfJwt({ x5c }, issuer), because('mismatch'));
      for (const other of [`${issuer}/`, issuer.toUpperCase(), 'http://localhost:3000'])
        await assert.rejects(development.keyOfJwt({ x5c }, other), because('mismatch'), other);
    }
    // A name of a host is one of its https addresses only.
    const host = [leafOf({ dns: ['localhost'] }).der];
    await assert.rejects(development.keyOfJwt({ x5c: host }, 'http://localhost:3000/issuer'), because('mismatch'));
  });

  it('is not another’s', async () => {
    const trust = trusting();
    const others = [{}, { dns: ['other.example'] }, { uris: [`${ISSUER}/b`] }, { dns: ['issuer.example.evil.test'] }];
    for (const names of others)
      await assert.rejects(trust.keyOfJwt({ x5c: [leafOf(names).der] }, ISSUER), because('mismatch'), JSON.stringify(names));
    for (const issuer of ['http://issuer.example/tenants/a', signer.did, 'issuer.example'])
      await assert.rejects(
        trust.keyOfJwt({ x5c: [leafOf({ dns: ['issuer.example'] }).der] }, issuer),
        because('mismatch'),
        issuer,
      );
  });

  it('is not another’s although a name in it looks like two', async () => {
    const tricky = leafOf({ dns: [`a, URI:${ISSUER}, b`] });
    assert.match(tricky.certificate.subjectAltName!, /URI:https/);
    await assert.rejects(trusting().keyOfJwt({ x5c: [tricky.der] }, ISSUER), because('mismatch'));
  });

  it('is never matched by the common name if there is an issuer to compare', async () => {
    const trust = trusting();
    const named = certify({ name: 'CN=issuer.example', by: root, from: FROM, until: UNTIL });
    await assert.rejects(trust.keyOfJwt({ x5c: [named.der] }, ISSUER), because('mismatch'));
    assert.equal((await trust.keyOfJwt({ x5c: [named.der] }, undefined)).trust, 'anchor');
  });

  it('counts only under an anchor', async () => {
    const { der } = leafOf({ dns: ['issuer.example'] });
    await assert.rejects(issuerWorld().trust.keyOfJwt({ x5c: [der] }, ISSUER), because('untrusted'));
    await assert.rejects(issuerWorld().trust.keyOfChain([der]), because('untrusted'));
    assert.deepEqual((await trusting().keyOfChain([der])).jwk, signer.jwk);
  });

  it('is never looked for elsewhere when the header has a broken chain', async () => {
    const { trust, world } = issuerWorld();
    for (const x5c of [[], 'x', null, ['AAAA']])
      await assert.rejects(trust.keyOfJwt({ x5c, kid: signer.didUrl }, signer.did), because('untrusted'), JSON.stringify(x5c));
    assert.deepEqual(world.asked, []);
  });

  it('is refused when it is of a kind nobody signs credentials with', async () => {
    const keys = [
      generateKeyPairSync('ed448').privateKey,
      generateKeyPairSync('ec', { namedCurve: 'brainpoolP256r1' }).privateKey,
    ];
    for (const key of keys) await assert.rejects(trusting().keyOfChain([leafOf({}, key).der]), because('untrusted'));
  });

  it('is for what was signed with it, where the certificate says what it is for', async () => {
    const certified = (...usages: string[]): string =>
      certify({
        name: 'CN=Signer',
        by: root,
        from: FROM,
        until: UNTIL,
        key: signer.key,
        dns: ['issuer.example'],
        extensions: [{ id: '2.5.29.37', critical: true, value: Buffer.from(AsnConvert.serialize(new ExtendedKeyUsage(usages))) }],
      }).der;
    const [document, reader, server] = ['1.0.18013.5.1.2', '1.0.18013.5.1.6', '1.3.6.1.5.5.7.3.1'].map((one) => certified(one));
    const trust = trusting();
    assert.ok(await trust.keyOfChain([document], 'document'));
    for (const other of [reader, server]) await assert.rejects(trust.keyOfChain([other], 'document'), because('untrusted'));
    for (const peer of [reader, server]) assert.ok(await trust.keyOfChain([peer]));
    await assert.rejects(trust.keyOfChain([document]), because('untrusted'));
    assert.ok(await trust.keyOfJwt({ x5c: [document] }, ISSUER));
    // Whoever may run a server, or ask for credentials, may not issue them, also where issuers are listed.
    for (const policy of [undefined, { policy: { mode: 'listed', dids: [] } } as const])
      for (const other of [reader, server])
        await assert.rejects(trusting(policy).keyOfJwt({ x5c: [other] }, ISSUER), because('untrusted'));
  });
});
