// Roles for a wallet on the account page.
import assert from 'node:assert/strict';
import type { BrowserPage } from './test-browser.ts';

export const PAGE = '/account/applications';

/** The link and the transaction code on a page with an offer. */
export function offeredOn({ text }: BrowserPage): { uri: string; code: string } {
  const [, uri, same] = /href="(openid-credential-offer:[^"]+)"[\s\S]*<code class="copy">(openid-[^<]+)</.exec(text) ?? [];
  const code = /<code class="copy">(\d{6})</.exec(text)?.[1];
  assert.ok(uri && code, text);
  assert.equal(uri, same);
  return { uri: uri.replaceAll('&amp;', '&'), code };
}
