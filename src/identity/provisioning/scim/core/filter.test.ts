import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../../ground/faults.ts';
import { groupType, userType } from './definitions.ts';
import { matches, parseFilter } from './filter.ts';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

// RFC 7643, 8.2 and 8.3, with what RFC 7644's examples ask for.
const barbara = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', enterprise],
  id: '2819c223-7f76-453a-919d-413861904646',
  externalId: '701984',
  userName: 'bjensen@example.com',
  name: { formatted: 'Ms. Barbara J Jensen, III', familyName: 'Jensen', givenName: 'Barbara', honorificSuffix: 'III' },
  displayName: 'Babs Jensen',
  emails: [
    { value: 'bjensen@example.com', type: 'work', primary: true },
    { value: 'babs@jensen.org', type: 'home' },
  ],
  ims: [{ value: 'someaimhandle', type: 'aim' }],
  userType: 'Employee',
  title: 'Tour Guide',
  active: true,
  password: 't1meMa$heen',
  x509Certificates: [{ value: 'MIIDQzCCAqygAwIBAgICEAAw' }],
  meta: { resourceType: 'User', created: '2010-01-23T04:56:22Z', lastModified: '2011-05-13T04:42:34Z', version: 'W/"3694"' },
  [enterprise]: {
    employeeNumber: '701984',
    department: 'Tour Operations',
    manager: { value: '26118915-6090-4610-87e4-49d8ca9f808d', displayName: 'John Smith' },
  },
};
const james = {
  id: 'a',
  userName: 'J-James',
  name: { familyName: "O'Malley" },
  userType: 'Intern',
  nickName: '',
  emails: [],
  addresses: [{}],
  meta: { resourceType: 'User', lastModified: '2011-05-13T06:42:35+02:00' },
};

const both = (text: string): [boolean, boolean] => {
  const filter = parseFilter(userType, text);
  return [matches(filter, barbara), matches(filter, james)];
};

function holds(text: string, ...expected: [boolean, boolean]): void {
  test(`${text} is ${expected[0]} of Barbara and ${expected[1]} of James`, () => assert.deepEqual(both(text), expected));
}

// RFC 7644, figure 2.
holds('userName eq "bjensen@example.com"', true, false);
holds('userName Eq "bjensen"', false, false);
holds('name.familyName co "O\'Malley"', false, true);
holds('userName sw "J"', false, true);
holds('urn:ietf:params:scim:schemas:core:2.0:User:userName sw "J"', false, true);
holds('title pr', true, false);
holds('meta.lastModified gt "2011-05-13T04:42:34Z"', false, true);
holds('meta.lastModified ge "2011-05-13T04:42:34Z"', true, true);
holds('meta.lastModified lt "2011-05-13T04:42:34Z"', false, false);
holds('meta.lastModified le "2011-05-13T04:42:34Z"', true, false);
holds('title pr and userType eq "Employee"', true, false);
holds('title pr or userType eq "Intern"', true, true);
holds('schemas eq "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"', true, false);
holds('userType eq "Employee" and (emails co "example.com" or emails.value co "example.org")', true, false);
holds('userType ne "Employee" and not (emails co "example.com" or emails.value co "example.org")', false, true);
holds('userType eq "Employee" and (emails.type eq "work")', true, false);
holds('userType eq "Employee" and emails[type eq "work" and value co "@example.com"]', true, false);
holds('emails[type eq "work" and value co "@example.com"] or ims[type eq "xmpp" and value co "@foo.com"]', true, false);

// Names and operators in any case, and URNs.
holds('USERNAME EQ "BJENSEN@EXAMPLE.COM"', true, false);
holds(`${enterprise.toUpperCase()}:department SW "tour"`, true, false);
holds(`${enterprise}:manager.value eq "26118915-6090-4610-87e4-49d8ca9f808d"`, true, false);
holds(`${enterprise}:manager eq "26118915-6090-4610-87e4-49d8ca9f808d"`, true, false);
holds('NOT (title pr) AND userName PR', false, true);

// Precedence: not over and over or; groups over all.
holds('userName pr or title pr and title eq "x"', true, true);
holds('(userName pr or title pr) and title eq "x"', false, false);
holds('title eq "x" and userName pr or userType eq "Intern"', false, true);
holds('not (title pr) or title pr', true, true);
holds('not (title pr) and title pr', false, false);
holds('not(not (title pr))', true, false);
holds('((((userName pr))))', true, true);

// One element, not several elements together.
holds('emails[type eq "work" and value co "jensen.org"]', false, false);
holds('emails.type eq "work" and emails.value co "jensen.org"', true, false);
holds('emails[type eq "home" and not (primary eq true)]', true, false);
holds('emails[type eq "home" or type eq "other"]', true, false);
holds('emails[type eq "work"].value eq "bjensen@example.com"', true, false);
holds('emails[type eq "home"].value eq "bjensen@example.com"', false, false);
holds('emails[type eq "home"].value pr and title pr', true, false);
holds('name[familyName eq "jensen"]', true, false);

// Values of each kind.
holds('active eq true', true, false);
holds('active ne true', false, true);
holds('active eq "True"', true, false);
holds('active eq False', false, false);
holds('emails[primary eq "True"]', true, false);
holds('id eq "2819C223-7f76-453a-919d-413861904646"', false, false);
holds('id eq "2819c223-7f76-453a-919d-413861904646"', true, false);
holds('externalId eq 701984', true, false);
holds('x509Certificates.value sw "MIID"', true, false);
holds('x509Certificates.value sw "miid"', false, false);
holds('meta.created sw "2010-01"', true, false);
holds('userName eq "\\u0062jensen\\u0040example.com"', true, false);
holds('displayName eq "babs\\tjensen"', false, false);
holds('userName gt "c"', false, true);
holds('meta.lastModified eq "2011-05-13T06:42:34+02:00"', true, false);
holds('userName eq 5', false, false);
holds('userName ne 5', true, true);
holds('userName eq true', false, false);

// What has no value.
holds('title eq null', false, true);
holds('title ne null', true, false);
holds('title ne "x"', true, true);
holds('emails eq null', false, true);
holds('emails ne null', true, false);
holds('emails ne "babs@jensen.org"', false, true);
holds('emails.value ne "nobody@example.com"', true, true);
holds('nickName pr', false, false);
holds('nickName eq null', true, true);
holds('emails pr', true, false);
holds('addresses pr', false, false);
holds('name pr', true, true);
holds('unknown pr', false, false);
holds('unknown eq "x"', false, false);
holds('unknown ne "x"', true, true);
holds('unknown eq null', true, true);
holds('unknown gt 5', false, false);
holds('unknown[type eq "x"]', false, false);
holds('userName[value eq "x"]', false, false);
holds('emails[unknown eq "x"]', false, false);
holds('urn:example:unknown:2.0:User:thing pr', false, false);

// Microsoft's collection leaves the quotes out.
holds('name.FamilyName eq jensen and (emails.Value co example.com or emails.Value co example.org)', true, false);
holds('meta.Created gt 2009-10-10T14:38:21.8617979-07:00', true, false);
holds('meta.lastModified lt 2015-10-10T14:38:21.8617979-07:00', true, true);

// A password cannot be guessed.
holds('password eq "t1meMa$heen"', false, false);
holds('password sw "t"', false, false);
holds('password pr', false, false);
holds('urn:ietf:params:scim:schemas:core:2.0:User:PASSWORD sw "t"', false, false);

// Names every object has.
holds('__proto__ eq 1', false, false);
holds('__proto__ pr', false, false);
holds('constructor.name pr', false, false);
holds('toString pr', false, false);
holds('emails[constructor pr]', false, false);
holds('emails.__proto__ pr', false, false);
holds('name.hasOwnProperty pr', false, false);

test('matches groups by their members', () => {
  const group = { displayName: 'Tour Guides', members: [{ value: '1' }, { value: '2', display: 'Mandy' }] };
  assert.equal(matches(parseFilter(groupType, 'members.value eq "2"'), group), true);
  assert.equal(matches(parseFilter(groupType, 'members eq "3"'), group), false);
  assert.equal(matches(parseFilter(groupType, 'members[value eq "1" and display pr]'), group), false);
});

test('reads no inherited property', () => {
  const heir = Object.create({ userName: 'x', emails: [{ value: 'x' }] });
  assert.equal(matches(parseFilter(userType, 'userName pr or emails pr'), heir), false);
});

function refuses(text: string, name = text): void {
  test(`refuses ${name}`, () => {
    assert.throws(
      () => parseFilter(userType, text),
      (error) => error instanceof Fault && error.code === 'scim.invalid_filter' && error.message.length < 300,
    );
  });
}

const malformed = [
  '',
  ' ',
  '(',
  ')',
  '()',
  '[]',
  '"',
  '"x"',
  'userName',
  'userName eq',
  'eq "x"',
  'userName "x"',
  'userName is "x"',
  'userName eq "x',
  'userName eq "x\\"',
  'userName eq "x\\q"',
  'userName eq "a\nb"',
  'userName eq "\\u0000"',
  'userName eq "\\u12"',
  'userName eq "x" and',
  'userName eq "x" or or title pr',
  'and userName pr',
  'userName eq "x" title pr',
  'userName pr "x"',
  'userName eq ("x")',
  '(userName pr',
  'userName pr)',
  'not userName pr',
  'not',
  'not (userName pr',
  'emails[type eq "work"',
  'emails[type eq "work")',
  'emails[]',
  'emails type eq "work"]',
  'emails[ims[type pr]]',
  'emails[type pr]value pr',
  'emails[type pr]. pr',
  'emails[type pr].value',
  'userName,title pr',
  '5 eq 5',
  '-x pr',
  'userName eq [1]',
  'a=b pr',
  // Comparisons that have no meaning for the type.
  'active gt true',
  'active co "t"',
  'x509Certificates.value gt "x"',
  'x509Certificates le "x"',
  'name eq "x"',
  'name gt 5',
  'addresses co "x"',
  'meta.created gt "soon"',
  'userName gt true',
  'userName gt null',
  'title co null',
  'active eq maybe',
];
for (const text of malformed) refuses(text, JSON.stringify(text));

refuses(`userName eq "${'x'.repeat(8192)}"`, 'more than 8192 characters');
refuses(Array(201).fill('title pr').join(' or '), 'more than 200 comparisons');
refuses(`${'('.repeat(21)}title pr${')'.repeat(21)}`, 'more than 20 groups in each other');
refuses(`${'not ('.repeat(21)}title pr${')'.repeat(21)}`, 'more than 20 negations in each other');
refuses('('.repeat(8192), 'nothing but open groups');
refuses(`userName eq ${'"\\'.repeat(4000)}`, 'nothing but quotes and backslashes');

test('takes what is just within the limits', () => {
  assert.doesNotThrow(() => parseFilter(userType, Array(200).fill('title pr').join(' or ')));
  assert.doesNotThrow(() => parseFilter(userType, `${'('.repeat(20)}title pr${')'.repeat(20)}`));
});
