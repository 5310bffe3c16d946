// The master key is created before the first database, and never beside an existing one.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { newMasterKey } from '../src/platform/seal/index.ts';
import { aShareOf, inFullRun, itAtLength } from './support/extent.ts';
import { gatehouse } from './support/process.ts';

describe('A lost master key', () => {
  let folder: string;
  let file: string;
  const settings = () => ({ GATEHOUSE_DATA_DIR: folder, GATEHOUSE_ADMIN_PASSWORD: 'the administrator of the tests' });
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-key-'));
    file = join(folder, 'master.key');
    const service = gatehouse(['start'], settings());
    await service.listening();
    assert.equal(await service.stop(), 0);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('is not replaced by a new one if there is a database: the start says which file or setting is missing', async () => {
    const kept = await readFile(file, 'utf8');
    await rename(file, `${file}.away`);
    for (const command of aShareOf([['start'], ['migrate'], ['master-key', 'rotate'], ['admin-password']], 2)) {
      const failed = gatehouse(command, settings());
      assert.equal(await failed.ended(), 2, failed.stderr);
      assert.match(failed.stderr, /^gatehouse: GATEHOUSE_MASTER_KEY: .*master\.key is missing, and identity\.sqlite beside it/m);
      assert.ok(!existsSync(file), command.join(' '));
    }
    await rename(`${file}.away`, file);
    assert.equal(await readFile(file, 'utf8'), kept);
  });

  it('of which the file is there, but empty or damaged, is reported with the name of the file', async () => {
    const kept = await readFile(file, 'utf8');
    for (const [content, said] of [
      ['', /master\.key is empty/],
      ['\n', /master\.key is empty/],
      ['nothing like a key\n', /master\.key: each line must be 32 bytes in base64url/],
    ] as const) {
      await writeFile(file, content);
      for (const command of inFullRun(
        [['start'], ['master-key', 'rotate']],
        content === '' ? [['start']] : [['master-key', 'rotate']],
      )) {
        const failed = gatehouse(command, settings());
        assert.equal(await failed.ended(), 2, failed.stderr);
        assert.match(failed.stderr, /^gatehouse: GATEHOUSE_MASTER_KEY: /m);
        assert.match(failed.stderr, said);
        assert.equal(await readFile(file, 'utf8'), content, 'nothing was written over it');
      }
    }
    await writeFile(file, kept);
  });

  it('that is replaced by another one is reported as the wrong key', async () => {
    const kept = await readFile(file, 'utf8');
    await writeFile(file, `${newMasterKey()}\n`);
    const failed = gatehouse(['start'], settings());
    assert.equal(await failed.ended(), 2, failed.stderr);
    assert.match(failed.stderr, /^gatehouse: GATEHOUSE_MASTER_KEY: a secret in the database is sealed under master key/m);
    await writeFile(file, kept);
  });

  itAtLength('cannot result from a rotation with a damaged row: it names the row, continues, and keeps the old key', async () => {
    const database = join(folder, 'wallet.sqlite');
    const inDatabase = <T>(work: (db: DatabaseSync) => T): T => {
      const db = new DatabaseSync(database);
      try {
        return work(db);
      } finally {
        db.close();
      }
    };
    const keysIn = async () => (await readFile(file, 'utf8')).trim().split(/\s+/).length;
    const { id, wrapped_key: whole } = inDatabase((db) => db.prepare('select id, wrapped_key from keys').get()) as {
      id: string;
      wrapped_key: string;
    };
    const put = (text: string) => inDatabase((db) => db.prepare('update keys set wrapped_key = ? where id = ?').run(text, id));
    put(`${whole.slice(0, -8)}AAAAAAAA`);
    const rotated = gatehouse(['master-key', 'rotate'], settings());
    assert.equal(await rotated.ended(), 0, rotated.stderr);
    assert.match(rotated.stdout, /a new master key is in force; [1-9]\d* secrets are encrypted with it/);
    assert.ok(rotated.stdout.includes(`keys ${id}`), rotated.stdout);
    assert.equal(await keysIn(), 2);
    // The row is repaired, and its key is still available.
    put(whole);
    const again = gatehouse(['master-key', 'rotate'], settings());
    assert.equal(await again.ended(), 0, again.stderr);
    assert.doesNotMatch(again.stdout, /cannot be opened/);
    assert.equal(await keysIn(), 1);
    const service = gatehouse(['start'], settings());
    await service.listening();
    assert.equal(await service.stop(), 0);
  });

  itAtLength('cannot result from a rotation that the identity service aborts: it names the row, and all keys stay', async () => {
    const db = new DatabaseSync(join(folder, 'identity.sqlite'));
    const { id, secret } = db.prepare('select id, secret from consumers').get() as { id: string; secret: string };
    const put = db.prepare('update consumers set secret = ? where id = ?');
    put.run(`${secret.slice(0, -8)}AAAAAAAA`, id);
    const stopped = gatehouse(['master-key', 'rotate'], settings());
    assert.equal(await stopped.ended(), 1, stopped.stdout);
    assert.equal(stopped.stderr.trim(), `gatehouse: the secret sealed as consumers/${id} is damaged and cannot be decrypted`);
    assert.equal((await readFile(file, 'utf8')).trim().split(/\s+/).length, 2);
    put.run(secret, id);
    db.close();
    const again = gatehouse(['master-key', 'rotate'], settings());
    assert.equal(await again.ended(), 0, again.stderr);
    assert.equal((await readFile(file, 'utf8')).trim().split(/\s+/).length, 1);
  });

  itAtLength('cannot result from `migrate` alone', async () => {
    const fresh = join(folder, 'fresh');
    assert.equal(await gatehouse(['migrate'], { ...settings(), GATEHOUSE_DATA_DIR: fresh }).ended(), 0);
    assert.ok((await readdir(fresh)).includes('master.key'));
    const service = gatehouse(['start'], { ...settings(), GATEHOUSE_DATA_DIR: fresh });
    await service.listening();
    assert.equal(await service.stop(), 0);
  });
});
