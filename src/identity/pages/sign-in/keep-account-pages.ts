// Pages for somebody whose account is to be deleted.
import { errorMessage, hidden, html, type PageLook, page } from '../../ground/look/index.ts';

interface PageForm {
  readonly action: string;
  readonly token: string;
}

/** `dueAt`: when the account is deleted, in seconds. */
export function keepAccountPage(look: PageLook, about: PageForm & { dueAt: number; error?: string | undefined }): string {
  const { words } = look;
  const form = (step: string, label: string, kind: string) =>
    html`<form method="post" action="${about.action}">${hidden('form_token', about.token)}${hidden('step', step)}
<button type="submit" class="${kind}">${label}</button></form>`;
  const body = html`${errorMessage(about.error)}<p>${words.accountIsPendingDeletion} ${look.time(about.dueAt)}</p>
<p>${words.keepAccountText}</p>${form('keep-account', words.keepAccount, '')}${form('cancel', words.letItGo, 'second')}`;
  return page(look, { title: words.keepAccountTitle, body });
}

export function keptAccountPage(look: PageLook, { action }: Pick<PageForm, 'action'>): string {
  const { words } = look;
  const body = html`<p role="status">${words.accountKeptText}</p><p><a href="${action}">${words.continueLabel}</a></p>`;
  return page(look, { title: words.accountKept, body });
}
