import assert from 'node:assert/strict';
import { generateKeyPairSync, sign, X509Certificate } from 'node:crypto';
import { describe, it } from 'node:test';
import { AsnConvert } from '@peculiar/asn1-schema';
import { Certificate, Extensions } from '@peculiar/asn1-x509';
import {
  type CertificateOptions,
  certify,
  keyIdentifierOf,
  type TestCertificate,
  usages,
} from '../../../test/support/certificates.ts';
import { alternativeNamesOf, parseX5c, verifyChain } from './chain.ts';
import { ChainError } from './errors.ts';
import type { CertificatePurpose } from './usages.ts';

const root = certify({ name: 'CN=Root', ca: true });
const middle = certify({ name: 'CN=Middle', by: root, ca: true });
const leaf = certify({ name: 'CN=Leaf', by: middle });

const verify = (chain: readonly TestCertificate[], anchors: readonly TestCertificate[] = [root], now = Date.now()) =>
  verifyChain(
    chain.map(({ certificate }) => certificate),
    anchors.map(({ certificate }) => certificate),
    now,
  );

const refused = (chain: readonly TestCertificate[], why: RegExp, anchors?: readonly TestCertificate[], now?: number): void => {
  assert.throws(
    () => verify(chain, anchors, now),
    (error) => error instanceof ChainError && why.test(error.message),
  );
};

/** Signed anew by the root, without some of its extensions. */
const without = ({ certificate, key }: TestCertificate, oid: string): TestCertificate => {
  const parsed = AsnConvert.parse(certificate.raw, Certificate);
  const { tbsCertificate: inner } = parsed;
  inner.extensions = new Extensions(inner.extensions!.filter(({ extnID }) => extnID !== oid));
  parsed.tbsCertificateRaw = AsnConvert.serialize(inner);
  parsed.signatureValue = new Uint8Array(sign('sha256', Buffer.from(parsed.tbsCertificateRaw), root.key)).buffer;
  const der = Buffer.from(AsnConvert.serialize(parsed));
  return { certificate: new X509Certificate(der), key, der: der.toString('base64') };
};

const under = (options: Partial<CertificateOptions>): TestCertificate => certify({ name: 'CN=Under', by: root, ...options });

describe('A certificate chain', () => {
  it('leads from the leaf over an intermediate to an anchor that was not sent', () => {
    assert.equal(verify([leaf, middle]).leaf, leaf.certificate);
  });

  it('may send the anchor along', () => {
    assert.equal(verify([leaf, middle, root]).leaf, leaf.certificate);
  });

  it('may end below the top, where an intermediate is the anchor', () => {
    assert.equal(verify([leaf], [middle]).leaf, leaf.certificate);
    assert.equal(verify([leaf, middle, root], [middle]).leaf, leaf.certificate);
  });

  it('may be a leaf that an anchor issued, or that is an anchor', () => {
    const direct = under({});
    assert.equal(verify([direct]).leaf, direct.certificate);
    assert.equal(verify([leaf], [leaf]).leaf, leaf.certificate);
  });

  it('names the key identifiers of every authority above', () => {
    assert.deepEqual(verify([leaf, middle]).authorityKeyIds, [middle, root, root].map(keyIdentifierOf));
  });

  it('reads the addresses of the leaf', () => {
    const named = under({ dns: ['a.example'], uris: ['https://a.example/x', 'urn:y'] });
    assert.deepEqual(verify([named]).uris, ['https://a.example/x', 'urn:y']);
  });

  it('has the names that are in it, also when one looks like two', () => {
    const name = 'a, DNS:localhost, URI:https://issuer.example, b';
    assert.deepEqual(alternativeNamesOf(under({ dns: [name], uris: ['urn:y'] }).certificate), { dns: [name], uris: ['urn:y'] });
  });

  it('is refused without its intermediate', () => refused([leaf], /none that is trusted/));

  it('is refused in another order, or with a stranger in between', () => {
    refused([leaf, root, middle], /from one to the next/);
    refused([leaf, certify({ name: 'CN=Middle', ca: true }), root], /from one to the next/);
  });

  it('is refused without any anchor, and under a foreign one of the same name', () => {
    refused([leaf, middle, root], /none that is trusted/, []);
    refused([leaf, middle], /none that is trusted/, [certify({ name: 'CN=Root', ca: true })]);
  });

  it('is refused when it signed itself and nobody trusts it', () =>
    refused([certify({ name: 'CN=Me' })], /none that is trusted/));

  it('is refused when any of its certificates has expired or is not yet valid', () => {
    const [past, future] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)];
    const [old, early] = [under({ ca: true, until: past }), under({ ca: true, from: future })];
    refused([under({ until: past })], /not valid now/);
    refused([under({ from: future })], /not valid now/);
    refused([certify({ name: 'CN=L', by: old }), old], /not valid now/);
    refused([certify({ name: 'CN=L', by: early }), early], /not valid now/);
    const oldRoot = certify({ name: 'CN=Old root', ca: true, until: past });
    refused([certify({ name: 'CN=L', by: oldRoot })], /not valid now/, [oldRoot]);
    refused([leaf, middle], /not valid now/, [root], Date.now() + 48 * 3600 * 1000);
  });

  it('is refused when an issuer in it is no authority', () => {
    // By either of the two extensions that say so.
    for (const nobody of [under({ ca: false }), under({ ca: false, signs: true }), under({ ca: true, signs: false })]) {
      refused([certify({ name: 'CN=L', by: nobody }), nobody], /from one to the next/);
      refused([certify({ name: 'CN=L', by: nobody })], /none that is trusted/, [nobody]);
    }
  });

  it('is refused when an authority allows fewer between it and the leaf', () => {
    const last = under({ ca: true, pathLength: 0 });
    const direct = certify({ name: 'CN=L', by: last });
    assert.equal(verify([direct, last]).leaf, direct.certificate);
    const below = certify({ name: 'CN=Below', by: last, ca: true });
    refused([certify({ name: 'CN=L', by: below }), below, last], /longer than/);
    const strictRoot = certify({ name: 'CN=Strict', ca: true, pathLength: 0 });
    const under2 = certify({ name: 'CN=Under', by: strictRoot, ca: true });
    refused([certify({ name: 'CN=L', by: under2 }), under2], /longer than/, [strictRoot]);
  });

  it('is refused with a critical extension that is not understood, and taken when it is not critical', () => {
    const odd = { id: '1.3.6.1.4.1.99999.1', value: Buffer.from('0500', 'hex') };
    refused([under({ extensions: [{ ...odd, critical: true }] })], /not understood: 1\.3\.6/);
    assert.ok(verify([under({ extensions: [{ ...odd, critical: false }] })]));
    // Policies are not looked at.
    const policies = { id: '2.5.29.36', critical: true, value: Buffer.from('3003800100', 'hex') };
    const strict = under({ ca: true, extensions: [policies] });
    refused([certify({ name: 'CN=L', by: strict }), strict], /not understood/);
  });

  it('is refused when one is signed over SHA-1, or has a short RSA key', () => {
    refused([under({ hash: 'sha1' })], /not accepted/);
    const key = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
    const weak = under({ ca: true, key });
    refused([certify({ name: 'CN=L', by: weak }), weak], /not accepted/);
  });

  it('is refused when a signature in it does not hold', () => {
    const bytes = Buffer.from(leaf.der, 'base64');
    bytes[bytes.length - 5]! ^= 1;
    const [broken] = parseX5c([bytes.toString('base64')]);
    assert.throws(() => verifyChain([broken!, middle.certificate], [root.certificate], Date.now()), ChainError);
  });

  it('is refused when the key of its leaf is not one that signs', () => {
    refused([under({ signs: true })], /not for signing/);
    const silent = without(under({ signs: true }), '2.5.29.15');
    assert.equal(verify([silent]).leaf, silent.certificate);
    assert.equal(verify([leaf, middle]).leaf, leaf.certificate);
  });

  it('is refused with an extension that is there twice', () => {
    const usage = { id: '2.5.29.15', critical: true, value: Buffer.from('03020780', 'hex') };
    refused([under({ signs: true, extensions: [usage] })], /none that is trusted/);
  });

  it('is refused when its leaf is an authority itself, unless that is the one that is trusted', () => {
    const both = (options: Partial<CertificateOptions>) =>
      certify({ name: 'CN=Both', ca: true, extensions: [], ...options, signs: false });
    refused([both({ by: root })], /that of an authority/);
    const alone = both({});
    assert.equal(verify([alone], [alone]).leaf, alone.certificate);
  });

  const [document, reader, pid, server, client, mail, signing, any] = [
    '1.0.18013.5.1.2',
    '1.0.18013.5.1.6',
    '1.3.130.2.0.0.1.2',
    '1.3.6.1.5.5.7.3.1',
    '1.3.6.1.5.5.7.3.2',
    '1.3.6.1.5.5.7.3.4',
    '1.3.6.1.5.5.7.3.36',
    '2.5.29.37.0',
  ] as const;
  const all = [document, reader, pid, server, client, mail, signing, any];
  const taken: Record<CertificatePurpose, readonly string[]> = {
    document: [document, pid, any],
    credential: [document, pid, signing, any],
    request: [reader, server, any],
    attestation: [client, signing, any],
    client: [client, any],
  };
  const said = (list: readonly string[] | undefined) => (list ? [usages(...list)] : []);
  /** Whether a chain whose leaf and authority are for these may sign for the purpose. */
  const isTaken = (
    purpose: CertificatePurpose,
    leafUsages: readonly string[] | undefined,
    above?: readonly string[],
  ): boolean => {
    const authority = under({ ca: true, extensions: said(above) });
    const made = certify({ name: 'CN=L', by: authority, extensions: said(leafUsages) });
    try {
      return Boolean(verifyChain([made.certificate, authority.certificate], [root.certificate], Date.now(), purpose));
    } catch (error) {
      assert.match((error as ChainError).message, /for another purpose/);
      return false;
    }
  };

  it('is refused when the leaf is for something else than what it signed: a server issues nothing', () => {
    for (const [purpose, fitting] of Object.entries(taken) as [CertificatePurpose, string[]][]) {
      assert.ok(isTaken(purpose, undefined), `${purpose}: nothing said`);
      for (const one of all) assert.equal(isTaken(purpose, [one]), fitting.includes(one), `${purpose}: ${one}`);
      const others = all.filter((one) => !fitting.includes(one)).slice(0, 2);
      assert.ok(isTaken(purpose, [fitting[0]!, others[0]!]), `${purpose}: both`);
      assert.ok(!isTaken(purpose, others), `${purpose}: neither`);
    }
  });

  it('is refused when an authority above is for something else, whatever those below say', () => {
    for (const [purpose, fitting] of Object.entries(taken) as [CertificatePurpose, string[]][])
      for (const one of all) {
        for (const leafUsages of [undefined, [any]])
          assert.equal(isTaken(purpose, leafUsages, [one]), fitting.includes(one), `${purpose} under ${one}`);
        // Both may be for such things, but not for the same one.
        for (const other of fitting.filter((usage) => usage !== any && usage !== one))
          assert.equal(isTaken(purpose, [other], [one]), one === any, `${purpose}: ${other} under ${one}`);
      }
    const limited = certify({ name: 'CN=Limited', ca: true, extensions: [usages(server)] });
    refused([certify({ name: 'CN=L', by: limited })], /for another purpose/, [limited]);
  });

  it('is refused where a leaf has to say what it is for, and does not, or says anything', () => {
    const cases: readonly (readonly [isTaken: boolean, leafUsages?: readonly string[]])[] = [
      [false],
      [false, [any]],
      [false, [signing]],
      [true, [document]],
      [true, [pid, server]],
    ];
    for (const [isGood, leafUsages] of cases) {
      const made = certify({ name: 'CN=L', by: root, extensions: said(leafUsages) });
      const verify = () => verifyChain([made.certificate], [root.certificate], Date.now(), 'document', true);
      if (isGood) assert.ok(verify());
      else assert.throws(verify, ChainError, leafUsages?.join());
    }
  });

  it('may have authorities with usages of their own, for those that stand below them', () => {
    for (const purpose of ['document', 'credential'] as const) assert.ok(isTaken(purpose, [document], ['1.3.130.2.0.0.1.7']));
    assert.ok(!isTaken('request', undefined, ['1.3.130.2.0.0.1.7']));
  });

  it('is refused when there is none', () => refused([], /no certificate/));
});

describe('x5c', () => {
  it('is a short list of certificates in standard base64', () => {
    assert.deepEqual(parseX5c([leaf.der])[0]!.raw, leaf.certificate.raw);
    const url = Buffer.from(leaf.der, 'base64').toString('base64url');
    const wrong: unknown[] = [undefined, leaf.der, [], [7], [''], ['AAAA'], Array(7).fill(leaf.der), [`${leaf.der}\n`]];
    if (url !== leaf.der.replace(/=+$/, '')) wrong.push([url]);
    for (const x5c of wrong) assert.throws(() => parseX5c(x5c), ChainError, JSON.stringify(x5c)?.slice(0, 40));
  });

  it('is not read beyond a bound', () => assert.throws(() => parseX5c(['A'.repeat(20_000)]), /base64/));
});
