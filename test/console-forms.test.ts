// What forms of the console know by themselves: passwords, and which field a refusal is about.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newPassword } from '../console/shared/new-password.ts';
import { refusedField } from '../console/shared/refused-field.ts';
import { fault } from '../src/identity/ground/faults.ts';

describe('A password that the console makes up', () => {
  it('is never the same, and has something of each kind that rules ask for', () => {
    const made = Array.from({ length: 200 }, newPassword);
    assert.equal(new Set(made).size, made.length);
    for (const one of made) {
      assert.match(one, /^(?:[a-zA-Z2-9]{5}-){3}[a-zA-Z2-9]{5}$/);
      for (const kind of [/[a-z]/, /[A-Z]/, /[2-9]/]) assert.match(one, kind);
    }
    // Each letter comes up: none is left out, and none of those that look alike is in it.
    const seen = new Set(Array.from({ length: 2000 }, newPassword).join(''));
    assert.equal(seen.size, 24 + 23 + 8 + 1, [...seen].sort().join(''));
  });
});

describe('The field that a refusal is about', () => {
  const fields = [
    { name: 'name' },
    { name: 'password' },
    { name: 'uris', attribute: 'redirect_uris' },
    { name: 'id' },
    { name: 'organization' },
    { name: 'txCode', codes: ['tx-code-rejected'] },
  ];
  const at = (message: string, more = {}) => refusedField(fields, { message, ...more })?.name;

  it('is found in the texts of the identity service, as they are', () => {
    const invalid = (field: string) => fault('request.invalid_field', { field, why: 'it is a required property' }).message;
    assert.equal(at(invalid('user.name')), 'name');
    assert.equal(at(invalid('consumer.redirect_uris.0')), 'uris');
    assert.equal(at(fault('request.bad_value', { field: 'redirect_uris', why: 'it has a fragment' }).message), 'uris');
    const taken = (field: string) => fault('resource.duplicate', { kind: 'user', field, value: 'x' }).message;
    assert.deepEqual([at(taken('name')), at(taken('ID'))], ['name', 'id']);
    assert.equal(at(fault('organization.no_default').message), 'organization');
    assert.equal(at(fault('user.name_alike', { name: 'looks like name' }).message), 'name');
    for (const message of [
      fault('user.password_short', { least: 8 }).message,
      fault('user.password_common').message,
      fault('user.password_rule', { why: 'it is too weak' }).message,
      fault('user.password_pattern').message,
      fault('user.password_reused', { count: 3 }).message,
      fault('user.password_same').message,
      fault('user.password_too_young', { days: 2 }).message,
      fault('user.password_locked').message,
    ])
      assert.equal(at(message), 'password', message);
  });

  it('is the one that the wallet node names, or whose code it is', () => {
    assert.equal(at('Something else', { field: 'name' }), 'name');
    assert.equal(at('The issuer refused it.', { code: 'tx-code-rejected' }), 'txCode');
  });

  it('is none where the form does not have it, or the text does not name one', () => {
    assert.equal(at(fault('request.invalid_field', { field: 'user.email', why: 'x' }).message), undefined);
    assert.equal(at(fault('auth.required').message), undefined);
  });
});
