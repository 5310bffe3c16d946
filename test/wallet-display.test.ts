// How the pages of the wallet show what credentials say.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { loadSharedTexts } from '../console/shared/words/index.ts';
import { shownPeer } from '../console/wallet/peer.ts';
import { valueText } from '../console/wallet/value-text.ts';
import { loadWords } from '../console/wallet/words/index.ts';
import { png } from './support/pictures.ts';

// The settings of a page are in its document. These modules are for browsers, whose types the tests of services do not have.
Object.assign(globalThis, { document: { querySelector: () => ({ content: '{"language":"en"}' }) } });
const page = (name: string): Promise<any> => import(new URL(`../console/wallet/${name}.ts`, import.meta.url).href);
const { claimRows, coloursOf, labelOf, nameOf } = await page('display');
const { cardValue } = await page('value');
const { isClaimPicture, isPicture } = await page('strangers');
await Promise.all([loadSharedTexts('en'), loadWords('en')]);

/** Its frame says 65,535 by 65,535 pixels, behind a comment. */
const JPEG_BOMB = Buffer.from('ffd8fffe0004aaaaffc0000b08ffffffff0101110000ffd9', 'hex');
const ID = '0123456789abcdef0123456789abcdef';

it('Roles in a credential are shown by names, and not by ids', () => {
  assert.equal(valueText([{ target: ID, application: 'Berths', names: ['Pilot'] }]), 'Berths: Pilot');
  assert.equal(
    valueText([
      { target: ID, application: 'Berths', names: ['Pilot', 'Harbour master'] },
      { target: 'did:web:orders.example.org', application: 'Orders', names: ['Buyer'] },
    ]),
    'Berths: Pilot, Harbour master; Orders: Buyer',
  );
});

it('Roles of issuers who do not name the application have its address, and not an id that says nothing', () => {
  assert.equal(valueText([{ target: 'did:web:orders.example.org', names: ['Buyer'] }]), 'did:web:orders.example.org: Buyer');
  assert.equal(valueText([{ target: ID, names: ['Pilot'] }]), 'Pilot');
});

it('Whatever else is in something that looks like roles is not left out', () => {
  assert.equal(valueText({ target: ID, names: ['Pilot'], secret: 'x' }), `target: ${ID}, names: Pilot, secret: x`);
  assert.equal(valueText({ target: ID, names: [{ a: 1 }] }), `target: ${ID}, names: a: 1`);
});

it('Who it is begins with the host; a name is verified only if more than its own word stands for it', () => {
  const [name, address] = ['Your bank', 'https://evil.example:8443/response'];
  for (const proof of ['none', 'did', 'https', 'something new', undefined])
    assert.deepEqual(shownPeer(name, address, proof), { host: 'evil.example:8443', name, isVerified: false }, proof);
  for (const proof of ['anchor', 'attestation', 'registered', 'certificate', 'beside'])
    assert.deepEqual(shownPeer(name, address, proof), { host: 'evil.example:8443', name, isVerified: true }, proof);
  assert.deepEqual(shownPeer(undefined, address, 'anchor'), { host: 'evil.example:8443', isVerified: true });
  assert.equal(shownPeer(name, 'https://bänk.example/', 'anchor').host, 'xn--bnk-qla.example');
  assert.equal(shownPeer('\u202eknab\u2066\u{e0041}', address, 'did').name, 'knab');
  assert.equal(shownPeer('\u200b', address, 'did').name, undefined);
});

it('What strangers write is shown without what nobody sees, and only so much of it', () => {
  assert.equal(valueText('a\u202eb\u0007\u2066c'), 'a b  c');
  assert.equal(cardValue('x'.repeat(100_000)).length, 81);
  assert.equal(cardValue(`data:image/png;base64,${'A'.repeat(400)}`), 'Picture');
  assert.equal(isPicture('data:image/svg+xml;base64,AAAA'), false);
  assert.equal(isPicture('https://evil.example/pixel.png'), false);
  assert.equal(isPicture(`data:image/png;base64,${'A'.repeat(1_000_000)}`), false);
  const data = (bytes: Buffer, type = 'png'): string => `data:image/${type};base64,${bytes.toString('base64')}`;
  assert.equal(isClaimPicture(data(png(3))), true);
  for (const bomb of [
    data(png(1, 60_000)),
    data(Buffer.from('GIF89a')),
    data(JPEG_BOMB, 'jpeg'),
    data(JPEG_BOMB.subarray(0, 12), 'jpeg'),
  ])
    assert.equal(isClaimPicture(bomb), false, bomb.slice(0, 60));
  assert.equal(labelOf(['\u202e'.repeat(3), 'x'.repeat(1000)], []).length, 201);
});

it('Claims stand in the order of the issuer, with its names in the language of the reader', () => {
  const names = (en: string, more: object[] = []) => [{ locale: 'en-GB', name: en }, ...more];
  const labels = [
    { path: ['last'], names: [{ locale: 'es', name: 'Apellido' }, ...names('Last name')] },
    { path: ['first'], names: [{ locale: 'fr', name: 'Prénom' }] },
  ];
  const rows = claimRows({ claims: { iss: 'x', other_one: 1, first: 'Ada', last: 'Lovelace' }, labels });
  assert.deepEqual(
    rows.map(({ label, value }: any) => [label, value]),
    [
      ['Last name', 'Lovelace'],
      ['Prénom', 'Ada'],
      ['other one', 1],
    ],
  );
  const displays = [
    { locale: 'de', name: 'Ausweis', backgroundColor: '#000000' },
    { locale: 'en', name: 'Card' },
  ];
  assert.equal(nameOf(displays, 'x'), 'Card');
  assert.equal(coloursOf(displays).backgroundColor, '#000000', 'what one entry does not say, another one may');
});
