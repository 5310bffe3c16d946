// How the pages of the wallet show what credentials say.
import assert from 'node:assert/strict';
import { it } from 'node:test';
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
