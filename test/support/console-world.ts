// One of everything that the screens of the console show.
import assert from 'node:assert/strict';
import { type TestApi, uniqueName } from './api.ts';
import type { ConsoleWorld } from './console-acts.ts';
import { makeWorld } from './every-route.ts';
import { makeLeaver } from './leaving.ts';
import { LOGO } from './pictures.ts';
import { enable } from './second-factor.ts';

/** The service must let people leave (`MAY_LEAVE`). */
export async function makeConsoleWorld(api: TestApi): Promise<ConsoleWorld> {
  const world = await makeWorld(api);
  const customRole = await api.make('role', { name: uniqueName('custom') });
  const { project, user } = world;
  assert.equal((await api.put(`/v3/projects/${project.id}/users/${user.id}/roles/${customRole.id}`)).status, 204);
  assert.equal((await enable(api, user)).status, 201);
  assert.equal((await api.put(`/v3/OS-OAUTH2/consumers/${world.application.id}/logo`, LOGO)).status, 200);
  return { ...world, customRole, leaver: await makeLeaver(api) };
}
