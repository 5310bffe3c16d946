import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { childOf, dnKey } from './dn.ts';
import { all, equals, guidText, idEquals, inChain } from './filters.ts';
import { publicId } from './public-id.ts';

describe('A distinguished name', () => {
  it('is the same in every spelling', () => {
    const key = dnKey('uid=alice,ou=People,dc=example,dc=org');
    for (const same of [
      'UID=Alice,OU=people,DC=example,dc=ORG',
      'uid = alice , ou= People,dc=example , dc=org',
      'uid=al\\69ce,ou=Peop\\6Ce,dc=example,dc=org',
      'uid=alice;ou=People;dc=example;dc=org',
    ])
      assert.equal(dnKey(same), key, same);
    assert.equal(dnKey('cn=a+sn=b,o=x'), dnKey('sn=B+cn=A,o=x'));
    assert.equal(dnKey('cn=J\\c3\\bcrgen,o=x'), dnKey('cn=jürgen,o=x'));
  });

  it('is another one where a part is another one', () => {
    const names = ['cn=a,o=x', 'cn=a+o=x', 'cn=a\\,o=x', 'cn=a,o=x,o=x', 'cn=a\\ ,o=x', 'cn=\\"a,o=x', 'cn=a', '', 'nonsense'];
    assert.equal(new Set(names.map(dnKey)).size, names.length);
  });

  it('keeps whatever a value holds within the value', () => {
    for (const value of ['a,o=evil', 'a+cn=b', ' a ', '#a', 'a"b\\c;d<e>f=g', 'nul\0'])
      assert.equal(dnKey(childOf('o=x', 'cn', value)).split('["o","x"]').length, 2, value);
    assert.equal(childOf('o=x', 'cn', 'a,b'), 'cn=a\\,b,o=x');
  });
});

describe('The id of an entry', () => {
  it('is the one Keystone gives it', () => {
    // hashlib.sha256(b'default' + b'user' + b'alice').hexdigest(), as keystone/identity/id_generators/sha256.py
    assert.equal(publicId('default', 'user', 'alice'), 'c43e4dd25aba357630477a0f49fde7da8567b753ddd430c9555ad09aa2a76e9e');
    assert.equal(publicId('0f6a1b', 'group', 'Zoë'), '4b84938c3b903db48664275e1fcac78c8976047301c2ccd74b81dbc558337d3b');
    assert.notEqual(publicId('default', 'group', 'alice'), publicId('default', 'user', 'alice'));
  });

  it('of Active Directory is bytes that are shown as Keystone shows them', () => {
    const bytes = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
    const text = guidText(bytes);
    assert.equal(text, '33221100-5544-7766-8899-aabbccddeeff');
    assert.deepEqual((idEquals('objectGUID', text) as unknown as { value: Buffer }).value, bytes);
    assert.equal((idEquals('uid', text) as unknown as { value: string }).value, text);
  });
});

describe('A filter', () => {
  it('holds a value as a value, whatever is in it', () => {
    assert.equal(String(equals('uid', '*)(uid=*')), '(uid=\\2a\\29\\28uid=\\2a)');
    assert.equal(String(all(equals('objectClass', 'person'), equals('sn', 'a\\b\0'))), '(&(objectClass=person)(sn=a\\5cb\\00))');
  });

  it('asks Active Directory for members through groups by its rule', () => {
    assert.equal(String(inChain('member', 'cn=a(b),o=x')), '(member:1.2.840.113556.1.4.1941:=cn=a\\28b\\29,o=x)');
  });
});
