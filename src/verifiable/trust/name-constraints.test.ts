// Authorities with name constraints, and certificates that violate them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { GeneralName } from '@peculiar/asn1-x509';
import {
  type CertificateOptions,
  certify,
  constraints,
  parseName,
  type TestCertificate,
} from '../../../test/support/certificates.ts';
import { verifyChain } from './chain.ts';
import { ChainError } from './errors.ts';

type Names = Partial<GeneralName>;
const root = certify({ name: 'CN=Root', ca: true });
const dns = (...names: string[]): Names[] => names.map((dNSName) => ({ dNSName }));
const uris = (...names: string[]): Names[] => names.map((uniformResourceIdentifier) => ({ uniformResourceIdentifier }));
const mails = (...names: string[]): Names[] => names.map((rfc822Name) => ({ rfc822Name }));
const directory = (...names: string[]): Names[] => names.map((name) => ({ directoryName: parseName(name) }));

function isTaken(chain: readonly TestCertificate[], anchor = root): boolean {
  try {
    const [first, ...rest] = chain.map(({ certificate }) => certificate);
    return verifyChain([first!, ...rest], [anchor.certificate], Date.now()).leaf === first;
  } catch (error) {
    assert.ok(error instanceof ChainError && /may not vouch for/.test(error.message), (error as Error).message);
    return false;
  }
}

/** Whether one with these names is taken below an authority with these constraints. */
function holds(limits: Parameters<typeof constraints>[0], leaf: Partial<CertificateOptions>): boolean {
  const authority = certify({ name: 'O=Office, CN=Middle', by: root, ca: true, extensions: [constraints(limits)] });
  return isTaken([certify({ name: 'O=Office, CN=Leaf', by: authority, ...leaf }), authority]);
}

describe('An authority that may vouch for some names', () => {
  for (const [what, permitted, good, bad] of [
    [
      'hosts',
      dns('good.example'),
      dns('good.example', 'a.b.good.example', 'GOOD.example', '*.good.example'),
      dns('evil.example', 'notgood.example', 'good.example.evil', 'example', 'go od.example'),
    ],
    ['hosts below one', dns('.good.example'), dns('a.good.example'), dns('good.example', 'evilgood.example')],
    [
      'a host by address',
      uris('good.example'),
      uris('https://good.example/x', 'http://GOOD.example:8080'),
      uris(
        'https://a.good.example/',
        'https://evil.example/good.example',
        'https://good.example@evil.example/',
        'urn:good.example',
        'https://127.0.0.1/',
        'https://[::1]/',
        'https://2130706433/',
      ),
    ],
    [
      'hosts by address',
      uris('.good.example'),
      uris('https://a.good.example/'),
      uris('https://good.example/', 'https://evil.example/.good.example'),
    ],
    [
      'mail of a host',
      mails('good.example'),
      mails('a@good.example'),
      mails('a@b.good.example', 'a@evil.example', 'good.example', '"a@good.example"@evil.example'),
    ],
    ['mail of hosts below one', mails('.good.example'), mails('a@b.good.example'), mails('a@good.example')],
    ['one mailbox', mails('a@good.example'), mails('a@GOOD.example'), mails('A@good.example', 'b@good.example')],
    [
      'what has a name',
      directory('O=Office'),
      directory('O=Office, CN=Anybody', 'O=  office ', 'O=OFFICE, C=DE'),
      directory('O=Other', 'CN=x, O=Office', 'O=Office 2'),
    ],
  ] as const) {
    it(`lets only these through: ${what}`, () => {
      for (const name of good) assert.ok(holds({ permitted: [...permitted] }, { names: [name] }), JSON.stringify(name));
      for (const name of bad) assert.ok(!holds({ permitted: [...permitted] }, { names: [name] }), JSON.stringify(name));
      // One that is permitted does not vouch for another beside it.
      assert.ok(!holds({ permitted: [...permitted] }, { names: [good[0]!, bad[0]!] }));
    });

    it(`lets all but these through: ${what}`, () => {
      for (const name of good)
        assert.ok(!holds({ excluded: [...permitted] }, { name: 'CN=Leaf', names: [name] }), JSON.stringify(name));
      assert.ok(!holds({ excluded: [...permitted] }, { name: 'CN=Leaf', names: [bad[0]!, good[0]!] }));
      assert.ok(holds({ excluded: [...permitted] }, { name: 'CN=Leaf', names: [bad[0]!] }));
    });
  }

  it('says nothing about names of other forms', () => {
    assert.ok(holds({ permitted: dns('good.example') }, { names: uris('https://evil.example/') }));
    assert.ok(holds({ excluded: uris('.evil.example') }, { dns: ['evil.example'] }));
  });

  it('does not let a name with a star reach what is excluded', () => {
    assert.ok(!holds({ excluded: dns('a.good.example') }, { dns: ['*.good.example'] }));
    assert.ok(
      !holds({ permitted: dns('good.example'), excluded: dns('a.good.example') }, { dns: ['b.good.example', '*.good.example'] }),
    );
    assert.ok(holds({ excluded: dns('a.good.example') }, { dns: ['*.other.example'] }));
  });

  it('does not let names of a form through that is constrained and not known', () => {
    const address: Names[] = [{ iPAddress: '10.0.0.1' }];
    const id: Names[] = [{ registeredID: '1.2.3.4' }];
    for (const limits of [{ permitted: id }, { excluded: id }]) {
      assert.ok(!holds(limits, { names: id }));
      assert.ok(holds(limits, { names: address }));
    }
  });

  it('looks at the subject as well, and at mail that is written there', () => {
    assert.ok(!holds({ permitted: directory('O=Office') }, { name: 'O=Other, CN=Leaf' }));
    assert.ok(!holds({ excluded: directory('O=Office') }, {}));
    assert.ok(!holds({ permitted: mails('good.example') }, { name: 'CN=Leaf, E=a@evil.example' }));
    assert.ok(holds({ permitted: mails('good.example') }, { name: 'CN=Leaf, E=a@good.example' }));
  });
});

describe('Name constraints', () => {
  const limited = (options: Partial<CertificateOptions>, ...permitted: string[]): TestCertificate =>
    certify({ name: 'CN=Limited', ca: true, extensions: [constraints({ permitted: dns(...permitted) })], ...options });

  it('are not widened by an authority below', () => {
    const above = limited({ by: root }, 'good.example');
    const below = limited({ by: above, name: 'CN=Below' }, 'evil.example', 'a.good.example');
    const under = (name: string) => [certify({ name: 'CN=L', by: below, dns: [name] }), below, above];
    assert.ok(isTaken(under('a.good.example')));
    for (const name of ['evil.example', 'b.good.example']) assert.ok(!isTaken(under(name)), name);
  });

  it('hold for the authorities below, too', () => {
    const above = certify({
      name: 'CN=Above',
      by: root,
      ca: true,
      extensions: [constraints({ permitted: directory('O=Office') })],
    });
    const below = certify({ name: 'O=Other', by: above, ca: true });
    assert.ok(!isTaken([certify({ name: 'O=Office, CN=L', by: below }), below, above]));
  });

  it('of the anchor hold, sent along or not', () => {
    const anchor = limited({}, 'good.example');
    for (const more of [[], [anchor]]) {
      assert.ok(isTaken([certify({ name: 'CN=L', by: anchor, dns: ['good.example'] }), ...more], anchor));
      assert.ok(!isTaken([certify({ name: 'CN=L', by: anchor, dns: ['evil.example'] }), ...more], anchor));
    }
  });

  it('hold when they are not critical', () => {
    const extension = { ...constraints({ permitted: dns('good.example') }), critical: false };
    const authority = certify({ name: 'CN=A', by: root, ca: true, extensions: [extension] });
    assert.ok(!isTaken([certify({ name: 'CN=L', by: authority, dns: ['evil.example'] }), authority]));
  });

  it('that are none, or of a kind the standard does not have, are not understood', () => {
    const empty = { id: '2.5.29.30', critical: true, value: Buffer.from('3000', 'hex') };
    const deep = constraints({ permitted: dns('good.example') }, { minimum: 1 });
    const broken = { id: '2.5.29.30', critical: false, value: Buffer.from('30030102', 'hex') };
    for (const extension of [empty, deep, broken]) {
      const authority = certify({ name: 'CN=A', by: root, ca: true, extensions: [extension] });
      const chain = [certify({ name: 'CN=L', by: authority, dns: ['good.example'] }), authority];
      assert.throws(
        () =>
          verifyChain(
            chain.map(({ certificate }) => certificate),
            [root.certificate],
            Date.now(),
          ),
        (error) => error instanceof ChainError && /not understood|cannot be read/.test(error.message),
      );
    }
  });
});
