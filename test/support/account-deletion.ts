// Set-up for tests of people who leave: they are signed in at the page with their data, and delete their account there.
import assert from 'node:assert/strict';
import { sql } from 'kysely';
import type { Database } from '../../src/identity/ground/database/index.ts';
import { ADMIN_PASSWORD, type TestApi } from './api.ts';
import { makeUser } from './relying-party.ts';
import { type BrowserPage, TestBrowser } from './test-browser.ts';

export const DATA_PAGE = '/account/data';
export const DELETION_ALLOWED = {
  GATEHOUSE_IDENTITY_ACCOUNT_DELETION: 'allowed',
  GATEHOUSE_IDENTITY_ACCOUNT_DELETION_GRACE_DAYS: '14',
};
export const DAY = 86_400;

export interface Leaver {
  readonly id: string;
  readonly name: string;
  readonly password: string;
  readonly code?: () => string;
}

/** Time passes. The administrator of the tests logs in again, since tokens have expired. */
export async function passTime(api: TestApi, seconds: number): Promise<void> {
  api.clock.advance(seconds);
  api.adminToken = await api.logIn(
    { name: 'admin', password: ADMIN_PASSWORD },
    { project: { name: 'admin', domain: { id: 'default' } } },
  );
}

/** Signs in to the page with the data of a person. */
export async function openData(api: TestApi, person: Leaver): Promise<{ browser: TestBrowser; page: BrowserPage }> {
  const browser = new TestBrowser(api);
  return { browser, page: await browser.signIn(DATA_PAGE, person) };
}

export async function leave(api: TestApi, person: Leaver): Promise<BrowserPage> {
  const { browser, page } = await openData(api, person);
  const left = await browser.submit(page, 'delete-account', { user_name: person.name });
  assert.equal(left.status, 200, left.text);
  return left;
}

/** Somebody who has asked for the deletion of their account. */
export async function makeLeaver(api: TestApi, values: Record<string, unknown> = {}): Promise<Leaver> {
  const person = await makeUser(api, values);
  await leave(api, person);
  return person;
}

/** The tables of a database. A service divides that of audit events by month after a minute. */
export async function tablesOf({ dialect, read }: Database): Promise<string[]> {
  const { rows } = await (dialect === 'postgres'
    ? sql<{
        name: string;
      }>`select table_name as name from information_schema.tables where table_schema = 'public' and table_name not like 'audit_events_%'`
    : sql<{ name: string }>`select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`
  ).execute(read);
  // Tables of the database's own bookkeeping name nobody but by id, in what caches dropped: deleted a hundred at a time, after half a minute.
  return rows.flatMap(({ name }) => (name.startsWith('gatehouse_') ? [] : name)).sort();
}

export async function rowsOf({ read }: Database, table: string): Promise<Record<string, unknown>[]> {
  return (await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(read)).rows;
}
