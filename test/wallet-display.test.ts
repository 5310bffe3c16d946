// How the pages of the wallet show what credentials say.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { shownPeer } from '../console/wallet/peer.ts';
import { valueText } from '../console/wallet/value-text.ts';

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

it('The name of somebody who proved nothing but an address or a key is not the heading', () => {
  const [name, address] = ['Your bank', 'https://evil.example:8443/response'];
  for (const proof of ['none', 'did', 'https', 'something new', undefined])
    assert.deepEqual(shownPeer(name, address, proof), { heading: 'evil.example:8443', callsItself: name }, proof);
  for (const proof of ['anchor', 'attestation', 'registered', 'certificate', 'beside'])
    assert.deepEqual(shownPeer(name, address, proof), { heading: name }, proof);
  assert.deepEqual(shownPeer(undefined, address, 'anchor'), { heading: 'evil.example:8443' });
});
