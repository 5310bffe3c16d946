import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { certify } from '../../../test/support/certificates.ts';
import type { Log } from '../../platform/log/index.ts';
import { createAnchors, parseAnchors } from './anchors.ts';

const [one, two] = [certify({ name: 'CN=One', ca: true }), certify({ name: 'CN=Two', ca: true })];
const pem = (...all: (typeof one)[]): string => all.map(({ certificate }) => certificate.toString()).join('some words\n');

describe('Trust anchors', () => {
  let folder: string;
  let file: string;
  let now: number;
  const warned: unknown[] = [];
  const log = { info: () => {}, warn: (fields: unknown) => warned.push(fields) } as unknown as Log;
  const names = (anchors: ReturnType<typeof createAnchors>): string[] => anchors().map(({ subject }) => subject);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'anchors-'));
    file = join(folder, 'anchors.pem');
    now = 0;
    warned.length = 0;
    mock.method(performance, 'now', () => now);
  });
  afterEach(() => {
    mock.restoreAll();
    rmSync(folder, { recursive: true });
  });

  it('are every certificate in a text', () => {
    assert.equal(parseAnchors(`# ours\n${pem(one, two)}`).length, 2);
    assert.deepEqual(parseAnchors('nothing'), []);
  });

  it('are none without a file', () => assert.deepEqual(createAnchors(undefined, log)(), []));

  it('are read again when the file changes, and not asked for more often than every few seconds', () => {
    writeFileSync(file, pem(one));
    const anchors = createAnchors(file, log);
    assert.deepEqual(names(anchors), ['CN=One']);
    writeFileSync(file, pem(one, two));
    now = 4_000;
    assert.deepEqual(names(anchors), ['CN=One']);
    now = 6_000;
    assert.deepEqual(names(anchors), ['CN=One', 'CN=Two']);
  });

  it('stay when the file is gone or broken, and the log says so', () => {
    writeFileSync(file, pem(one));
    const anchors = createAnchors(file, log);
    assert.deepEqual(names(anchors), ['CN=One']);
    writeFileSync(file, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    now = 6_000;
    assert.deepEqual(names(anchors), ['CN=One']);
    rmSync(file);
    now = 12_000;
    assert.deepEqual(names(anchors), ['CN=One']);
    assert.equal(warned.length, 2);
  });
});
