// Mailboxes of people, at a real SMTP server.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { ParsedMail } from 'mailparser';
import { type TestApi, uniqueName } from './api.ts';
import { MailServer } from './mail-server.ts';
import { makeUser } from './relying-party.ts';
import { TestBrowser } from './test-browser.ts';

/** Mails are sent within a second or two; all cores may be busy. */
const PATIENCE_MS = 60_000;

/** A server that lets the process end. */
export async function startMailServer(): Promise<MailServer> {
  const server = new MailServer();
  await server.open();
  server.unref();
  return server;
}

export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !(await condition()); await delay(20)) assert.ok(Date.now() < end, what);
}

/** The mails to an address, once there are so many. */
export async function mailsTo(server: MailServer, address: string, count = 1): Promise<ParsedMail[]> {
  await until(() => server.to(address).length >= count, `${count} mails to ${address}`);
  return server.to(address).map(({ mail }) => mail);
}

export const newestMail = async (server: MailServer, address: string, count = 1): Promise<ParsedMail> =>
  (await mailsTo(server, address, count)).at(-1)!;

/** The link in a mail, which its text and its HTML have. */
export function linkIn({ text = '', html }: ParsedMail): URL {
  const [link] = /https?:\/\/\S+token=[\w-]{43}/.exec(text) ?? [];
  assert.ok(link, text);
  assert.ok(String(html).includes(`href="${link}"`));
  return new URL(link);
}

export const tokenIn = (mail: ParsedMail): string => linkIn(mail).searchParams.get('token')!;

export const newMailbox = (): string => `${uniqueName('box')}@example.org`;

export async function askForPassword(api: TestApi, name: string, more: Record<string, string> = {}) {
  const browser = new TestBrowser(api);
  const page = await browser.go('/openid/forgotten-password');
  return browser.submit(page, undefined, { name, ...more });
}

/** Waits until all requests for mails that came before have been worked on. They are worked on one after the other. */
export async function afterRequests(api: TestApi, server: MailServer): Promise<void> {
  const person = await makeUser(api);
  assert.equal((await askForPassword(api, person.name)).status, 200);
  await mailsTo(server, person.user.email as string);
}

export async function askToRegister(api: TestApi, email: string, more: Record<string, string> = {}) {
  return new TestBrowser(api).send('/openid/register', { email, ...more });
}
