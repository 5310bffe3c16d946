// One of everything that the screens of the console show.
import assert from 'node:assert/strict';
import { makeLeaver } from './account-deletion.ts';
import { type TestApi, uniqueName } from './api.ts';
import type { ConsoleWorld } from './console-acts.ts';
import { makeWorld, PASSWORD, type World } from './every-route.ts';
import { LOGO } from './pictures.ts';
import { makeWaiting } from './registration.ts';
import { TestCredentialWallet } from './role-credentials.ts';
import { enable, logInWith, Phone, tokenByCode } from './second-factor.ts';

/** The user gets a credential about their role into a wallet. */
async function issueTo(api: TestApi, { user, credentialType }: World, phone: Phone): Promise<{ id: string }> {
  const token = await tokenByCode(api, { user, password: PASSWORD, phone });
  await new TestCredentialWallet(api).receiveFor({ ...user, token }, `${credentialType.id}.sd_jwt`);
  const { credentials } = (await api.get(`/v3/OS-ROLE-CREDENTIALS/credentials?user_id=${user.id}`)).body;
  return { id: credentials[0].id };
}

/** For five minutes: codes of the user are not accepted. */
async function lockOut(api: TestApi, user: { id: string }, phone: Phone): Promise<void> {
  for (let guess = 0; guess < 5; guess++) {
    const { status } = await logInWith(api, { user, password: PASSWORD }, { verification_code: phone.wrong() });
    assert.equal(status, 401);
  }
}

/** The service must let people leave (`DELETION_ALLOWED`). */
export async function makeConsoleWorld(api: TestApi): Promise<ConsoleWorld> {
  const world = await makeWorld(api);
  const customRole = await api.make('role', { name: uniqueName('custom') });
  const { project, user } = world;
  assert.equal((await api.put(`/v3/projects/${project.id}/users/${user.id}/roles/${customRole.id}`)).status, 204);
  // First: it ends what there was before.
  const enabled = await enable(api, user);
  assert.equal(enabled.status, 201);
  const phone = new Phone(api, enabled.body.two_factor_auth.two_factor_key);
  const issued = await issueTo(api, world, phone);
  await lockOut(api, user, phone);
  assert.equal((await api.put(`/v3/OS-OAUTH2/consumers/${world.application.id}/logo`, LOGO)).status, 200);
  return { ...world, customRole, issued, leaver: await makeLeaver(api), waiting: await makeWaiting(api) };
}
