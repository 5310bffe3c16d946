// Somebody removes a passkey while it is used, after its signature was verified and before the use counts.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { underAttack } from '../../../../test/support/api.ts';
import { AT_LOCALHOST, PasskeyPerson, servesAtLocalhost, visitSignIn } from '../../../../test/support/passkeys.ts';
import { RelyingParty } from '../../../../test/support/relying-party.ts';
import { stepOf } from '../../../../test/support/test-browser.ts';
import { whenAt } from '../../../../test/support/test-points.ts';

underAttack(
  'A passkey that is removed while it is used',
  (api) => {
    servesAtLocalhost(api);

    it('signs nobody in, alone or after the password', async () => {
      const party = await RelyingParty.make(api);
      for (const isSecond of [false, true]) {
        const person = await PasskeyPerson.withPasskey(api);
        const path = `/v3/users/${person.id}/OS-PASSKEYS/passkeys`;
        const remove = async (): Promise<void> => {
          const [{ id }] = assertOk(await api.get(path)).passkeys;
          assertOk(await api.delete(`${path}/${id}`), 204);
        };
        const { browser, page } = await visitSignIn(api, party, isSecond ? { acr_values: 'phr' } : {});
        const { name, password } = person;
        const asked = isSecond ? await browser.submit(page, 'password', { name, password }) : page;
        const refused = await whenAt('change.before-transaction', remove, () => person.usePasskey(browser, asked));
        assert.equal(refused.status, 401, refused.text);
        assert.equal(refused.redirectTarget, undefined);
        assert.equal(stepOf(refused), 'password');
      }
    });
  },
  { settings: AT_LOCALHOST },
);
