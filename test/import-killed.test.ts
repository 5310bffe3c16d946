// An import that is killed at any moment and begun again ends as one that was not.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { inFullRun } from './support/extent.ts';
import { KeystoneSource } from './support/keystone-source.ts';
import { GatehouseProcess } from './support/process.ts';

const KILLS = inFullRun(30, 5);
const PEOPLE = 1_500;
const PROJECTS = 60;
const BCRYPT = '$2b$04$6Bh8Na50FJ0TlsIM2/ERa.KzigWVohqIROTDGJUeRmeXkpXF2/K0O';
/** Much longer than an import takes. */
const PATIENCE_MS = 120_000;

/** All that came, without times and without ids that are made here. */
const QUESTIONS = [
  'select id, domain_id, name, name_key, enabled, default_project_id, options, extra, profile from users order by id',
  'select user_id, hash, expires_at, serial, self_service, imported_form from passwords where imported_form is not null order by user_id, serial',
  'select id, name, domain_id, parent_id, is_domain, enabled, description, options, extra from projects order by id',
  'select * from project_tags order by project_id, name',
  'select id, domain_id, name, description, extra from groups order by id',
  'select group_id, user_id, kept from group_members order by group_id, user_id',
  'select * from imported_things order by source, key',
  'select * from imported_forms order by domain_id, form',
  'select form, user_id from user_name_forms order by user_id',
  'select word, user_id from user_words order by user_id, word',
  "select action, target_id from audit_events where action in ('user.created', 'project.created', 'group.created') order by target_id",
];

describe('An import that is killed', () => {
  const keystone = new KeystoneSource();
  const folders: string[] = [];
  after(async () => {
    await keystone.stop();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  const newFolder = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-import-'));
    folders.push(folder);
    return folder;
  };
  const begin = (folder: string): GatehouseProcess =>
    new GatehouseProcess(['import', 'keystone', keystone.location, '--apply', '--merge', 'domain,role'], {
      GATEHOUSE_DATA_DIR: folder,
      GATEHOUSE_ADMIN_PASSWORD: 'the first administrator',
    });
  const exitOf = async (one: GatehouseProcess): Promise<number | null> => {
    if (one.child.exitCode === null && one.child.signalCode === null)
      await new Promise((resolve) => one.child.once('exit', resolve));
    return one.child.exitCode;
  };
  const stateOf = (folder: string): unknown[][] => {
    const db = new DatabaseSync(join(folder, 'identity.sqlite'), { readOnly: true });
    const isOurs = (row: object): boolean => Object.values(row).some((value) => /^[0-9a-f]{32}$/.test(String(value)));
    try {
      // The first start makes an administrator and a project, with ids of their own.
      return QUESTIONS.map((question) =>
        db
          .prepare(question)
          .all()
          .filter((row) => !isOurs(row as object)),
      );
    } finally {
      db.close();
    }
  };

  it(`at ${KILLS} random moments ends with all there is, each thing once`, async () => {
    await keystone.start('SQLite');
    await keystone.domain('default', { name: 'Default' });
    await keystone.domain('harbour');
    await keystone.role('member-role', 'member');
    await keystone.run('begin');
    for (let at = 0; at < PROJECTS; at++) {
      await keystone.project(`project-${at}`, 'harbour', at > 0 ? { parent_id: `project-${Math.floor(at / 3)}` } : {});
      await keystone.insert('project_tag', { project_id: `project-${at}`, name: 'tagged' });
      await keystone.insert('group', { id: `group-${at}`, domain_id: 'harbour', name: `group ${at}`, extra: '{}' });
    }
    for (let at = 0; at < PEOPLE; at++) {
      const id = `user-${String(at).padStart(5, '0')}`;
      await keystone.user(id, `person ${at}`, 'harbour', [BCRYPT], { extra: `{"email":"p${at}@harbour.example"}` });
      await keystone.insert('user_group_membership', { user_id: id, group_id: `group-${at % PROJECTS}` });
      await keystone.assign('UserProject', id, `project-${at % PROJECTS}`, 'member-role');
    }
    await keystone.run('commit');

    const whole = newFolder();
    const began = performance.now();
    const undisturbed = begin(whole);
    assert.equal(await exitOf(undisturbed), 0, undisturbed.stderr + undisturbed.stdout);
    const took = performance.now() - began;

    const folder = newFolder();
    let kills = 0;
    const end = performance.now() + PATIENCE_MS + KILLS * took;
    for (; kills < KILLS && performance.now() < end; ) {
      const one = begin(folder);
      await Promise.race([setTimeout(Math.random() * took), exitOf(one)]);
      // One that has ended already is begun again: there is nothing left to do for it.
      if (one.child.exitCode === null) {
        one.child.kill('SIGKILL');
        kills++;
      }
      await exitOf(one);
    }
    assert.equal(kills, KILLS);
    const last = begin(folder);
    assert.equal(await exitOf(last), 0, last.stderr + last.stdout);
    const [expected, found] = [stateOf(whole), stateOf(folder)];
    for (const [at, question] of QUESTIONS.entries()) assert.deepEqual(found[at], expected[at], question);
    assert.equal(expected[0]!.length, PEOPLE);
  });
});
