// Success messages: after a step the browser is sent back to the page, which shows the message once. A cookie keeps its name meanwhile; in
// the address it could be part of a link that somebody else made.
import { type BrowserRequest, type PageWords, readCookie, redirect, setCookie } from '../../ground/look/index.ts';
import { ACCOUNT } from '../../openid/paths/index.ts';
import type { TextName } from './section.ts';

const COOKIE = 'gatehouse_done';
const SECONDS = 60;

export function redirectWithMessage(browser: BrowserRequest, path: string, name: TextName): void {
  setCookie(browser, COOKIE, name, ACCOUNT, SECONDS);
  redirect(browser, path);
}

/** The message to show now, if there is one. It is not shown again. */
export function takeMessage(browser: BrowserRequest, words: PageWords): string | undefined {
  const name = readCookie(browser, COOKIE);
  if (name === undefined) return undefined;
  setCookie(browser, COOKIE, '', ACCOUNT, 0);
  const text = Object.hasOwn(words, name) ? words[name as keyof PageWords] : undefined;
  return typeof text === 'string' ? text : undefined;
}
