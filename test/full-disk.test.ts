// A full disk with SQLite: changes are refused with 503 and Retry-After, reads continue, readiness reports it, and a start serves reads.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { lockFolder } from '../src/platform/database/index.ts';
import { IdentityOnDatabase } from './support/identity-on-database.ts';

/** Limits each connection to its current number of pages, so that SQLite reports a full disk. */
class Disk {
  readonly #handles = new Set<DatabaseSync>();
  #isFull = false;
  readonly #exec = DatabaseSync.prototype.exec;

  watch(): void {
    const { prototype } = DatabaseSync;
    const [exec, fill, handles] = [this.#exec, () => this.#isFull, this.#handles];
    prototype.exec = function (this: DatabaseSync, sql: string): void {
      const isNew = !handles.has(this);
      handles.add(this);
      if (isNew && fill()) exec.call(this, 'pragma max_page_count = 1');
      exec.call(this, sql);
    };
  }

  limit(isFull: boolean): void {
    this.#isFull = isFull;
    for (const handle of this.#handles)
      if (handle.isOpen) this.#exec.call(handle, `pragma max_page_count = ${isFull ? 1 : 1_000_000}`);
  }

  restore(): void {
    DatabaseSync.prototype.exec = this.#exec;
  }
}

describe('A full disk (SQLite)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-full-'));
  const disk = new Disk();
  let api: IdentityOnDatabase;
  before(async () => {
    disk.watch();
    api = new IdentityOnDatabase({ dataDir: folder });
    await api.start();
    assert.equal((await api.logIn()).status, 201);
  });
  after(async () => {
    disk.limit(false);
    await api.stop();
    disk.restore();
    rmSync(folder, { recursive: true, force: true });
  });

  const LARGE = 'x'.repeat(50_000);
  const newProject = (name: string) => api.post('/v3/projects', { project: { name, description: LARGE } });

  it('refuses changes, all that come together, and goes on serving reads', async () => {
    assert.equal((await newProject('before')).status, 201);
    disk.limit(true);
    const refused = await Promise.all(['a', 'b', 'c'].map(newProject));
    for (const answer of refused) {
      assert.equal(answer.status, 503, await answer.text());
      assert.equal(answer.headers.get('retry-after'), '5');
    }
    assert.equal((await api.get('/readyz')).status, 503);
    assert.equal((await api.get('/v3/projects?name=before')).status, 200);
    assert.equal((await api.get('/v3/auth/tokens')).status, 200);
  });

  it('is reported by readiness as long as nothing can be stored', async () => {
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    assert.equal((await api.get('/readyz')).status, 503);
  });

  it('does not keep a start from serving reads', async () => {
    await api.stop();
    await api.start();
    assert.equal((await api.logIn()).status, 201);
    assert.equal((await api.get('/v3/projects?name=before')).status, 200);
    assert.equal((await newProject('still')).status, 503);
    lockFolder(folder).release();
  });

  it('accepts changes again when there is space', async () => {
    disk.limit(false);
    await api.ready(200);
    assert.equal((await newProject('after')).status, 201);
    assert.equal((await api.get('/readyz')).status, 200);
  });
});
