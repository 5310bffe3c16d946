// Somebody changes what a request for a credential was checked by, after it was checked and before the credential is recorded.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { underAttack } from '../../../../test/support/api.ts';
import {
  issuedTo,
  makeHolder,
  makeRoleWorld,
  type RoleHolder,
  type RoleWorld,
  TestCredentialWallet,
  TYPES,
  takeRole,
  withdraw,
} from '../../../../test/support/role-credentials.ts';
import { whenAt } from '../../../../test/support/test-points.ts';

interface Situation {
  readonly world: RoleWorld;
  readonly person: RoleHolder;
}

const [DENIED, OVER] = ['credential_request_denied', 'invalid_token'];

underAttack('A credential that was asked for rightly is not issued', (api) => {
  const typeBecomes = async ({ typeId }: RoleWorld, values: object): Promise<void> =>
    assertOk(await api.patch(`${TYPES}/${typeId}`, { credential_type: values }));
  const close = async ({ id }: RoleHolder): Promise<void> =>
    assertOk(await api.patch(`/v3/users/${id}`, { user: { enabled: false } }));
  const endTokens = async ({ id }: RoleHolder): Promise<void> => assertOk(await api.delete(`/v3/users/${id}/tokens`), 204);

  const CASES: Readonly<Record<string, readonly [error: string, change: (now: Situation) => Promise<void>]>> = {
    'if its type loses the format': [DENIED, ({ world }) => typeBecomes(world, { formats: ['jwt_vc_json'] })],
    'if its type is disabled': [DENIED, ({ world }) => typeBecomes(world, { enabled: false })],
    'if its type is deleted': [DENIED, async ({ world }) => assertOk(await api.delete(`${TYPES}/${world.typeId}`), 204)],
    'if the role is taken away': [DENIED, ({ world, person }) => takeRole(api, person, world)],
    'if the account is closed': [DENIED, ({ person }) => close(person)],
    'if the tokens of the person end': [OVER, ({ person }) => endTokens(person)],
    'if somebody revokes what the wallet got before': [
      DENIED,
      async ({ person }) => withdraw(api, (await issuedTo(api, person))[0]!.id, 'revoke'),
    ],
  };

  for (const [name, [error, change]] of Object.entries(CASES))
    it(name, async () => {
      const world = await makeRoleWorld(api);
      const person = await makeHolder(api, world);
      const wallet = new TestCredentialWallet(api);
      const token = await wallet.tokenFor(person, world.sdJwt);
      await wallet.receive(token, world.sdJwt);
      const before = (await issuedTo(api, person)).map(({ id }) => id);
      const answer = await whenAt(
        'issuance.before-transaction',
        () => change({ world, person }),
        () => wallet.ask(token, world.sdJwt),
      );
      assert.equal(answer.body.error, error, answer.text);
      assert.deepEqual(
        (await issuedTo(api, person)).map(({ id }) => id),
        before,
      );
    });
});
