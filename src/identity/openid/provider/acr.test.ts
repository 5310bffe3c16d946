import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ACR_VALUES, acrOf, acrRequestOf, amrOf, methodsOf, missingStrength, satisfies } from './acr.ts';

const [SINGLE, MULTI, RESISTANT] = ACR_VALUES as [string, string, string];

describe('How strong a sign-in was', () => {
  const signIns = [
    { amr: amrOf(['password']), acr: SINGLE },
    { amr: amrOf(['password', 'totp']), acr: MULTI },
    { amr: amrOf(['password', 'passkey']), acr: RESISTANT },
    { amr: amrOf(['passkey'], { isSynced: true }), acr: RESISTANT },
    { amr: amrOf(['wallet']), acr: SINGLE },
    { amr: amrOf(['password', 'wallet']), acr: MULTI },
    { amr: amrOf(['wallet', 'totp']), acr: MULTI },
    { amr: amrOf(['wallet', 'passkey']), acr: RESISTANT },
  ];

  it('follows from what was used', () => {
    for (const { amr, acr } of signIns) assert.equal(acrOf(amr, []), acr);
    assert.equal(acrOf([], []), SINGLE);
    assert.deepEqual(amrOf(['passkey'], { isSynced: true }), ['pop', 'user', 'swk', 'mfa']);
    assert.deepEqual(amrOf(['passkey'], { isSynced: false }), ['pop', 'user', 'hwk', 'mfa']);
  });

  it('is said in the words of the request, when it satisfies it', () => {
    const passkey = amrOf(['passkey']);
    assert.equal(acrOf(passkey, [MULTI]), MULTI);
    assert.equal(acrOf(passkey, ['unknown', SINGLE, RESISTANT]), SINGLE);
    assert.equal(acrOf(amrOf(['password']), [RESISTANT, MULTI]), SINGLE);
    assert.equal(acrOf(passkey, ['__proto__', 'constructor', '']), RESISTANT);
  });

  it('misses what none of the requested values allows', () => {
    const password = amrOf(['password']);
    assert.equal(missingStrength(password, []), 0);
    assert.equal(missingStrength(password, ['unknown']), 0);
    assert.equal(missingStrength(password, [MULTI]), 1);
    assert.equal(missingStrength(password, [RESISTANT, MULTI]), 1);
    assert.equal(missingStrength(password, [RESISTANT, SINGLE]), 0);
    assert.equal(missingStrength(amrOf(['password', 'totp']), [RESISTANT]), 2);
    assert.equal(missingStrength(amrOf(['passkey']), [MULTI]), 0);
  });

  it('leads back to the methods', () => {
    for (const methods of [
      ['password'],
      ['password', 'totp'],
      ['password', 'passkey'],
      ['passkey'],
      ['wallet'],
      ['password', 'wallet'],
    ])
      assert.deepEqual(methodsOf(amrOf(methods)), methods);
  });

  it('is requested by a list, by a claim, or not at all', () => {
    const claims = (acr: unknown) => JSON.stringify({ id_token: { acr } });
    assert.deepEqual(acrRequestOf({ acr_values: 'a  b' }), { values: ['a', 'b'], isEssential: false });
    const essential = { essential: true, values: [MULTI, 7, RESISTANT] };
    assert.deepEqual(acrRequestOf({ acr_values: 'a', claims: claims(essential) }), {
      values: [MULTI, RESISTANT],
      isEssential: true,
    });
    assert.deepEqual(acrRequestOf({ claims: claims({ essential: true, value: MULTI }) }), { values: [MULTI], isEssential: true });
    assert.deepEqual(acrRequestOf({ acr_values: 'a', claims: claims({ values: [MULTI] }) }), {
      values: ['a', MULTI],
      isEssential: false,
    });
    for (const nothing of [undefined, '', 7, ['a']]) assert.deepEqual(acrRequestOf({ acr_values: nothing }).values, []);
    for (const nothing of [null, { essential: true }, { essential: true, values: 'x' }, 'x'])
      assert.deepEqual(acrRequestOf({ claims: claims(nothing) }), { values: [], isEssential: false });
    for (const claimed of ['{', 'null', '{"id_token": null}', '7'])
      assert.deepEqual(acrRequestOf({ claims: claimed }).values, []);
  });

  it('satisfies each value that is not stronger', () => {
    assert.ok(satisfies(amrOf(['passkey']), [SINGLE]));
    assert.ok(satisfies(amrOf(['password']), [RESISTANT, SINGLE]));
    assert.ok(!satisfies(amrOf(['password', 'totp']), [RESISTANT, 'unknown']));
    assert.ok(!satisfies(amrOf(['passkey']), []));
  });
});
