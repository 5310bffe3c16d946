// Pages and forms for signing in through other providers.

import { errorMessage, field, type Html, hidden, html, type PageLook, page } from '../../ground/look/index.ts';
import type { OfferedProviders } from '../../login/federation/index.ts';

interface FormTarget {
  readonly action: string;
  readonly token: string;
  readonly error?: string | undefined;
}

const stepForm = ({ action, token }: FormTarget, step: string, body: Html): Html =>
  html`<form method="post" action="${action}">${hidden('form_token', token)}${hidden('step', step)}${body}</form>`;

/** On the sign-in page: a button for each, and one for those that are found by an address. */
export function providerForms({ words }: PageLook, target: FormTarget, { buttons, byEmail }: OfferedProviders): Html {
  if (buttons.length === 0 && !byEmail) return html``;
  const forms = buttons.map(({ id, name }) =>
    stepForm(
      target,
      'provider',
      html`${hidden('provider', id)}<button type="submit" class="second">${words.providerContinue(name)}</button>`,
    ),
  );
  const other =
    byEmail && stepForm(target, 'provider-ask', html`<button type="submit" class="plain">${words.providerByEmail}</button>`);
  return html`<p class="soft">${words.providerOr}</p>${forms}${other}`;
}

const back = ({ words }: PageLook, target: FormTarget): Html =>
  stepForm(target, 'provider-forget', html`<button type="submit" class="second">${words.providerBack}</button>`);

export function providerEmailPage(look: PageLook, about: FormTarget & { address: string }): string {
  const { words } = look;
  const input = field({ name: 'address', label: words.email, value: about.address, complete: 'email', focus: true });
  const body = html`${errorMessage(about.error)}<p>${words.providerEmailText}</p>
${stepForm(about, 'provider-email', html`${input}<button type="submit">${words.continueLabel}</button>`)}${back(look, about)}`;
  return page(look, { title: words.providerByEmail, body });
}

/** For somebody whose account is not known. It looks the same whether there is one or not. */
export function firstSignInPage(
  look: PageLook,
  about: FormTarget & { provider: string; label: string; mayCreate: boolean },
): string {
  const { words } = look;
  const create =
    about.mayCreate &&
    stepForm(about, 'provider-new', html`<button type="submit" class="second">${words.providerNewAccount}</button>`);
  const body = html`${errorMessage(about.error)}<p>${words.providerFirstText(about.provider, about.label)}</p>
${stepForm(about, 'provider-link', html`<button type="submit">${words.providerHaveAccount}</button>`)}${create}${back(look, about)}`;
  return page(look, { title: words.providerFirstTitle, body });
}

/** `code`: of the provider or of us, for those who are asked for help. */
export function providerFailedPage(look: PageLook, about: FormTarget & { text: string; code?: string | undefined }): string {
  const { words } = look;
  const code = about.code === undefined ? '' : html`<p class="soft"><code>${about.code}</code></p>`;
  const body = html`<p role="alert">${about.text}</p>${code}${back(look, about)}`;
  return page(look, { title: words.providerFailedTitle, body });
}
