// Mails of a service that writes them to its folder, which is the default.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestApi } from './api.ts';

/** The mails to an address, as they were written. */
export async function mailsInFolderTo(api: TestApi, address: string): Promise<string[]> {
  const { mail } = api.service;
  await mail.sendDue();
  // The service may be sending one at this moment.
  for (const end = Date.now() + 30_000; (await mail.waiting()) > 0; await delay(20))
    assert.ok(Date.now() < end, 'a mail still waits');
  const folder = join(api.folder, 'mail');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.filter((text) => text.includes(`To: ${address}`));
}

export const subjectIn = (mail: string): string | undefined => /^Subject: (.*)$/m.exec(mail)?.[1]?.trim();
