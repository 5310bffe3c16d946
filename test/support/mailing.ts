// The mail module on its own database, without a service that would send the mails first.
import { after, before, describe } from 'node:test';
import { type Change, createChanges, serviceActor } from '../../src/identity/ground/audit/index.ts';
import type { Database, MailRow } from '../../src/identity/ground/database/index.ts';
import { createMail, type Letter, type Mail, type TemplateName } from '../../src/identity/ground/mail/index.ts';
import { identitySettings } from '../../src/identity/ground/settings/index.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { load } from '../../src/platform/config/index.ts';
import { createLog } from '../../src/platform/log/index.ts';
import { createSeal, newMasterKey } from '../../src/platform/seal/index.ts';
import type { DatabaseKind } from './api.ts';
import { databaseOf, KINDS, RestartableApi } from './restartable-api.ts';

/** Time passes only with `advance`. */
export class StoppedClock implements Clock {
  #time = Date.UTC(2026, 10, 16, 12, 30);
  now(): number {
    return this.#time;
  }
  advance(seconds: number): void {
    this.#time += seconds * 1000;
  }
}

export const ISSUER = 'https://id.example.org';

export class Mailing {
  readonly kind: DatabaseKind;
  readonly clock = new StoppedClock();
  readonly logged: string[] = [];
  masterKeys = [newMasterKey()];
  db!: Database;
  readonly #place: RestartableApi;
  readonly #others: Database[] = [];

  constructor(kind: DatabaseKind) {
    this.kind = kind;
    this.#place = new RestartableApi(kind);
  }

  get folder(): string {
    return this.#place.folder;
  }

  async open(): Promise<void> {
    await this.#place.prepare();
    this.db = await databaseOf(this.#place);
  }

  async close(): Promise<void> {
    for (const db of [this.db, ...this.#others]) await db.close();
    await this.#place.remove();
  }

  /** Another connection, as of another process. SQLite has one process. */
  async anotherDatabase(): Promise<Database> {
    if (this.kind === 'SQLite') return this.db;
    const db = await databaseOf(this.#place);
    this.#others.push(db);
    return db;
  }

  mail(settings: Readonly<Record<string, string>> = {}, db = this.db): Mail {
    return createMail({
      db,
      clock: this.clock,
      log: createLog('debug', { write: (line) => void this.logged.push(line) }),
      seal: createSeal(this.masterKeys),
      config: load(identitySettings, settings),
      dataDir: this.folder,
      issuer: () => ISSUER,
      look: () => ({}),
      stored: () => undefined,
    });
  }

  change<T>(work: (transaction: Change) => Promise<T>): Promise<T> {
    return createChanges(this.db, this.clock)(serviceActor, (transaction) => {
      transaction.audit('user.updated', { kind: 'mail', id: 'test' });
      return work(transaction);
    });
  }

  enqueue<T extends TemplateName>(mail: Mail, letter: Letter<T>): Promise<boolean> {
    return this.change((transaction) => mail.enqueue(transaction, letter));
  }

  rows(): Promise<MailRow[]> {
    return this.db.read.selectFrom('mails').selectAll().orderBy('id').execute();
  }
}

export function onEachMailing(name: string, define: (mailing: Mailing) => void): void {
  for (const kind of KINDS)
    describe(`${name} (${kind})`, () => {
      const mailing = new Mailing(kind);
      before(() => mailing.open());
      after(() => mailing.close());
      define(mailing);
    });
}
