// The look of people, groups, organizations and domains in the console: no barriers, in both themes, on a desk and on a phone.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { words } from '../../console/identity/words/en/index.ts';
import { lookTroubles } from '../support/accessibility.ts';
import { onDatabase } from '../support/api.ts';
import { usesChromium } from '../support/chromium.ts';
import { goTo, openConsole } from '../support/console.ts';
import { makeWaiting } from '../support/registration.ts';
import { makeTwoFactorUser, press } from '../support/visitor.ts';

const chromium = usesChromium();
const { people, organizations } = words;
const HOSTILE = '<img src=x onerror="document.title=1">';

onDatabase('SQLite', 'The look of people in the console', {}, (api) => {
  it('has no barriers', async () => {
    const person = await makeTwoFactorUser(api);
    const group = await api.make('group', { name: `${'long'.repeat(40)} ${HOSTILE}` });
    const organization = await api.make('project', { name: 'организация 日本' });
    await api.request('PUT', `/v3/groups/${group.id}/users/${person.id}`);
    await api.request('PUT', `/v3/projects/${organization.id}/groups/${group.id}/roles/${await api.roleId('member')}`);
    const page = await openConsole(chromium, api, { options: { bypassCSP: true } });
    const troubles: string[] = [];
    const look = async (path: string, heading: string | RegExp): Promise<void> => {
      await goTo(page, path, heading);
      troubles.push(...(await lookTroubles(page, `console${path.replace(/\W+/g, '-')}`.replace(/[0-9a-f]{32}/, 'one'))));
    };
    await look('/people', people.title);
    await look('/people/invitations', people.invitations);
    await look('/people/import', people.importTitle);
    await makeWaiting(api);
    await look('/people/waiting', people.waiting.title);
    await look('/people/deletions', people.deletions);
    for (const tab of ['overview', 'sign-in', 'sessions', 'access', 'groups', 'roles', 'history'])
      await look(`/people/${person.id}?tab=${tab}`, person.name);
    await look('/groups', organizations.groups);
    for (const tab of ['members', 'roles', 'settings']) await look(`/groups/${group.id}?tab=${tab}`, group.name);
    await look('/organizations', organizations.title);
    await look('/organizations?tab=tree', organizations.title);
    for (const tab of ['members', 'roles', 'below'])
      await look(`/organizations/${organization.id}?tab=${tab}`, organization.name);
    await look('/domains', organizations.domains);
    await look('/domains/default?tab=organizations', 'Default');
    await goTo(page, '/people', people.title);
    await press(page, people.invite);
    troubles.push(...(await lookTroubles(page, 'console-invite')));
    assert.deepEqual(troubles, []);
  });
});
