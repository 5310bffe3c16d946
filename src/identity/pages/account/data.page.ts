// Sections of the account pages: a person's data as a file, and the deletion of the account.

import { field, type Html, html, type PageLook, page } from '../../ground/look/index.ts';
import { type AccountView, button, form, section } from './layout.ts';

export function personalDataSection(view: AccountView): Html {
  const { words } = view.look;
  return section(words.personalData, html`<p>${words.personalDataText}</p>${button(view, 'download-data', words.downloadData)}`);
}

export function deletionSection(
  view: AccountView,
  about: { userName: string; graceDays: number; refusal: 'managed' | 'last_administrator' | undefined },
): Html {
  const { words } = view.look;
  if (about.refusal) return section(words.deleteAccount, html`<p>${words.deletionRefused[about.refusal]}</p>`);
  const input = field({ name: 'user_name', label: words.typeUserName(about.userName), complete: 'off' });
  const body = html`${input}<button type="submit" class="small">${words.deleteAccount}</button>`;
  return section(
    words.deleteAccount,
    html`<p>${words.deleteAccountText(about.graceDays)}</p>${form(view, 'delete-account', body)}`,
  );
}

/** After it: there is no session any more. */
export function deletionPendingPage(look: PageLook, dueAt: number, graceDays: number): string {
  const { words } = look;
  if (graceDays === 0)
    return page(look, { title: words.deletionAtOnceTitle, body: html`<p role="status">${words.deletionAtOnceText}</p>` });
  const body = html`<p role="status">${words.deletionPendingText} ${look.time(dueAt)}</p><p>${words.deletionPendingComeBack}</p>`;
  return page(look, { title: words.deletionPendingTitle, body });
}
