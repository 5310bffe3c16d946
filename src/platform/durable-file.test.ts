import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createFile, replaceFile } from './durable-file.ts';

describe('A durable file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-file-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'key');

  it('is created once, for its owner only, and is not overwritten', () => {
    assert.equal(createFile(path, 'one'), true);
    assert.equal(createFile(path, 'two'), false);
    assert.equal(readFileSync(path, 'utf8'), 'one');
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it('is replaced atomically, so that readers see the old or the new content', () => {
    const before = statSync(path).ino;
    replaceFile(path, 'three');
    assert.equal(readFileSync(path, 'utf8'), 'three');
    assert.notEqual(statSync(path).ino, before);
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it('is only readable by its owner after it is replaced, and leaves no temporary file', () => {
    writeFileSync(join(folder, 'open'), 'x', { mode: 0o644 });
    replaceFile(join(folder, 'open'), 'y');
    assert.equal(statSync(join(folder, 'open')).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder).sort(), ['key', 'open']);
  });
});
