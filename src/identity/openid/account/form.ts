// The form that a person sent from an account page.
import { type BrowserRequest, checkFormToken, readForm } from '../pages/browser.ts';

export interface AccountForm {
  /** Empty if the form has no such field. */
  text(name: string): string;
}

/** Refuses forms of other sites, and of other sessions. */
export async function readAccountForm(browser: BrowserRequest, keys: readonly string[], about: string): Promise<AccountForm> {
  const form = await readForm(browser);
  checkFormToken(form, keys, about);
  return { text: (name) => form.get(name) ?? '' };
}
