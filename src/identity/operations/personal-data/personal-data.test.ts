// The file with a person's data: complete, without secrets, and without the data of others.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DELETION_ALLOWED, openData, rowsOf, tablesOf } from '../../../../test/support/account-deletion.ts';
import { onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { assign, makeApplication, makeRole } from '../../../../test/support/applications.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { makeTwoFactorPerson } from '../../../../test/support/second-factor.ts';
import { stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { TABLE_COVERAGE } from './index.ts';

/** Columns whose values must never be in the file. */
const SECRETS = /^(hash|key|sealed|secret|blob|payload|public_key|credential_id|security_answer|.*_hash|uid)$/;
const NAMES_A_PERSON = /user|person|actor|inviter|owner|subject|account|created_by/;

onEachDatabase(
  'The data of a person',
  (api) => {
    const db = usesDatabaseOf(api);

    /** Somebody with a row in each table that an API can write. */
    async function makeWorld() {
      const { user, password, phone } = await makeTwoFactorPerson(api);
      const { id } = user;
      const group = await api.make('group', { name: uniqueName('group') });
      await api.put(`/v3/groups/${group.id}/users/${id}`);
      const project = await api.make('project', { name: uniqueName('through-group') });
      await api.put(`/v3/projects/${project.id}/groups/${group.id}/roles/${await api.roleId('member')}`);
      const application = await makeApplication(api);
      const role = await makeRole(api, application);
      await assign(api, { user, application, role });
      await api.post('/v3/credentials', { credential: { type: 'note', blob: 'a secret note of a person', user_id: id } });
      await api.post(`/v3/users/${id}/OS-TWO-FACTOR/recovery_codes`, {});
      await api.post(`/v3/users/${id}/OS-TWO-FACTOR/devices`, {});
      await api.get(`/v3/OS-REGISTRATION/users/${id}/reset_password`);
      const party = await RelyingParty.make(api);
      const person = { id: id as string, name: user.name as string, password, code: () => phone.fresh() };
      await party.tokensFor(person, { scope: 'openid offline_access' });
      await db().write(async (tx) => {
        const now = Math.floor(api.clock.now() / 1000);
        const address = 'somebody@example.org';
        await tx.insertInto('login_failures').values({ user_id: id, failures: 1, last_at: now }).execute();
        await tx
          .insertInto('passkeys')
          .values({
            ...{ id: uniqueName('passkey'), user_id: id, credential_id: uniqueName('credential'), public_key: 'the public key' },
            ...{
              counter: 0,
              transports: '[]',
              synced: 0,
              name: 'a phone',
              created_at: now,
              last_used_at: null,
              removed_at: null,
            },
          })
          .execute();
        const provider = uniqueName('provider');
        await tx
          .insertInto('identity_providers')
          .values({ id: provider, domain_id: 'default', enabled: 1, description: null, authorization_ttl: null, created_at: now })
          .execute();
        await tx
          .insertInto('provider_links')
          .values({
            ...{ id: uniqueName('link'), provider_id: provider, issuer: 'https://example.org', subject: uniqueName('subject') },
            ...{
              protocol_id: 'openid',
              user_id: id,
              label: address,
              given: '{}',
              by_address: 0,
              created_at: now,
              last_used_at: null,
            },
          })
          .execute();
        await tx
          .insertInto('links')
          .values({
            ...{ purpose: 'change-email', subject: `user:${id}`, token_hash: uniqueName('hash'), user_id: id, address },
            ...{ data: '{}', created_at: now, expires_at: now + 60 },
          })
          .execute();
        await tx
          .insertInto('registrations')
          .values({ user_id: id, project_id: 'p', cloud_project_id: 'c', created_at: now })
          .execute();
        await tx
          .insertInto('invitations')
          .values({
            ...{
              id: uniqueName('invitation'),
              domain_id: 'default',
              email: address,
              email_key: address,
              name: null,
              language: null,
            },
            ...{
              organization_id: null,
              role_id: null,
              group_ids: '[]',
              application_roles: '[]',
              inviter_id: 'x',
              inviter_scope: '{}',
            },
            ...{ status: 'accepted', created_at: now, sent_at: now, expires_at: now, ended_at: now, user_id: id },
          })
          .execute();
        // Overtaken by a change: the account is enabled.
        await tx
          .insertInto('account_deletions')
          .values({ user_id: id, requested_at: now, due_at: now, user_version: 0 })
          .execute();
      });
      return { person, group, role, application };
    }

    it('covers every table that names people', async () => {
      const tables = await tablesOf(db());
      const known: Readonly<Record<string, (typeof TABLE_COVERAGE)[keyof typeof TABLE_COVERAGE]>> = TABLE_COVERAGE;
      const { person } = await makeWorld();
      const { browser, page } = await openData(api, person);
      const file = JSON.parse((await browser.submit(page, 'download-data')).text) as Record<string, unknown>;
      for (const table of tables.filter((name) => !name.includes('migration'))) {
        const coverage = known[table];
        assert.ok(
          coverage,
          `the table ${table} is neither in the file nor left out: see src/identity/operations/personal-data/tables.ts`,
        );
        const rows = await rowsOf(db(), table);
        const columns = Object.keys(rows[0] ?? {}).filter((column) => NAMES_A_PERSON.test(column));
        const own = rows.filter((row) => columns.some((column) => row[column] === person.id));
        if ('section' in coverage) {
          assert.ok(coverage.section in file, `${table}: no section ${coverage.section}`);
          const isEmpty = file[coverage.section] === null || JSON.stringify(file[coverage.section]) === '[]';
          if (own.length > 0) assert.ok(!isEmpty, `${table}: ${coverage.section} is empty`);
        } else assert.ok(own.length === 0 || coverage.leftOut !== 'It is not about people.', `${table} names people`);
      }
    });

    it('is a file to download, with what belongs to the person, and the download is an event', async () => {
      const { person, group, role, application } = await makeWorld();
      const { browser, page } = await openData(api, person);
      const answer = await browser.submit(page, 'download-data');
      assert.equal(answer.status, 200);
      assert.match(answer.headers.get('content-disposition') ?? '', /^attachment; filename="[\w-]+\.json"$/);
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      const file = JSON.parse(answer.text);
      assert.deepEqual([file.format, file.version], ['gatehouse-personal-data', 1]);
      assert.equal(file.account.name, person.name);
      assert.deepEqual(
        file.groups.map((one: { name: string }) => one.name),
        [group.name],
      );
      assert.ok(file.roles.some((one: { through_group: string | null }) => one.through_group === group.name));
      assert.equal(file.application_roles[0].role.name, role.name);
      assert.equal(file.application_roles[0].application.name, application.name);
      assert.equal(file.two_factor.enabled, true);
      assert.equal(file.sessions.length > 0, true);
      assert.equal(file.applications.length > 0, true);
      assert.equal(file.passkeys[0].name, 'a phone');
      assert.equal(file.credentials[0].type, 'note');
      const actions = file.events.map((one: { action: string }) => one.action);
      for (const action of ['user.created', 'user.logged_in', 'user.data_exported']) assert.ok(actions.includes(action), action);
    });

    it('has every event, however many there are', async () => {
      const person = await makeUser(api);
      const detail = { actor_id: null, request_id: null, outcome: 'success', detail: '{}' };
      const at = Math.floor(api.clock.now() / 1000);
      const rows = Array.from({ length: 1200 }, (_, index) => ({
        ...{ id: uniqueName('event'), at: at + Math.floor(index / 700), action: 'user.tested' },
        ...{ target_kind: 'user', target_id: person.id, ...detail },
      }));
      await db().write((tx) => tx.insertInto('audit_events').values(rows).execute());
      const { browser, page } = await openData(api, person);
      const { events } = JSON.parse((await browser.submit(page, 'download-data')).text);
      assert.equal(events.filter(({ action }: { action: string }) => action === 'user.tested').length, 1200);
    });

    it('has no secret, and nothing of another person', async () => {
      const [{ person }, other] = [await makeWorld(), await makeWorld()];
      const by = { headers: { 'User-Agent': 'the browser of an administrator' } };
      assert.equal((await api.patch(`/v3/users/${person.id}`, { user: { description: 'x' } }, by)).status, 200);
      const about = { target_kind: 'user', target_id: person.id, outcome: 'success', request_id: null };
      const detail = JSON.stringify({ address: '192.0.2.77', user_agent: 'of an administrator', reason: 'why they did it' });
      const byOther = { id: uniqueName('event'), at: 1, action: 'user.tested', actor_id: other.person.id, detail, ...about };
      await db().write((tx) => tx.insertInto('audit_events').values(byOther).execute());
      const stranger = await makeUser(api, { description: 'somebody else' });
      const { browser, page } = await openData(api, person);
      const { text } = await browser.submit(page, 'download-data');
      for (const table of await tablesOf(db()))
        for (const row of await rowsOf(db(), table))
          for (const [column, value] of Object.entries(row))
            if (SECRETS.test(column) && typeof value === 'string' && value.length > 8)
              assert.ok(!text.includes(value), `${table}.${column} is in the file`);
      for (const value of [
        '192.0.2.77',
        'of an administrator',
        'why they did it',
        'a secret note',
        person.password,
        other.person.id,
        other.person.name,
        stranger.id,
        stranger.name,
      ])
        assert.ok(!text.includes(value), value);
      const admin = (await api.get('/v3/users?name=admin')).body.users[0].id;
      assert.ok(!text.includes(admin), 'whoever acted is not named');
    });
  },
  { settings: DELETION_ALLOWED },
);

onEachDatabase(
  'The file of a person',
  (api) => {
    it('is not sent to a form of another site, of another session, or of an old session, nor without limit', async () => {
      const [person, other] = [await makeUser(api), await makeUser(api)];
      const { browser, page } = await openData(api, person);
      const fields = page.forms.find((form) => form.fields.step === 'download-data')!.fields;
      const foreign = { Origin: 'https://evil.example.org', 'Sec-Fetch-Site': 'cross-site' };
      const token = (await openData(api, other)).page.forms[0]!.fields.form_token!;
      for (const refused of [
        await browser.send(page.url, fields, foreign),
        await browser.send(page.url, { ...fields, form_token: token }),
        await browser.send(page.url, { ...fields, form_token: '' }),
      ])
        assert.equal(refused.status, 403);
      assert.match((await browser.go(`${page.url}?step=download-data`)).headers.get('content-type')!, /html/);
      assert.equal(stepOf(await new TestBrowser(api).send(page.url, { ...fields })), 'password', 'without a session');
      api.clock.hold();
      for (let count = 0; count < 10; count++) assert.equal((await browser.send(page.url, fields)).status, 200);
      assert.equal((await browser.send(page.url, fields)).status, 429, 'too many files');
      api.clock.advance(901);
      assert.equal(stepOf(await browser.send(page.url, fields)), 'password', 'an old session');
    });
  },
  { settings: DELETION_ALLOWED, rateLimits: true },
);
