// Pages and forms for signing in with a wallet.
import { renderSVG } from 'uqr';
import {
  browserName,
  errorMessage,
  field,
  type Html,
  hidden,
  html,
  type PageLook,
  page,
  trusted,
} from '../../ground/look/index.ts';

interface FormTarget {
  readonly action: string;
  readonly token: string;
  readonly error?: string | undefined;
}

const stepForm = ({ action, token }: FormTarget, step: string, body: Html): Html =>
  html`<form method="post" action="${action}">${hidden('form_token', token)}${hidden('step', step)}${body}</form>`;

/** A button on the pages of a sign-in. */
export const walletForm = ({ words }: PageLook, target: FormTarget, label: string = words.walletSignIn): Html =>
  stepForm(target, 'wallet', html`<button type="submit" class="second">${label}</button>`);

/** After another step, when a wallet is the only way. `skip`: the application asked for it, and it can do without. */
export function walletStepPage(look: PageLook, about: FormTarget & { skip: boolean }): string {
  const { words } = look;
  const skip = about.skip && stepForm(about, 'skip', html`<button type="submit" class="plain">${words.continueWithout}</button>`);
  const body = html`${errorMessage(about.error)}<p>${words.walletSecondText}</p>
${stepForm(about, 'wallet', html`<button type="submit">${words.walletUse}</button>`)}${skip}
${stepForm(about, 'cancel', html`<button type="submit" class="second">${words.cancel}</button>`)}`;
  return page(look, { title: words.secondFactor, body });
}

/** `same` and `other`: the links for a wallet on this device, and on another. */
export function walletPage(look: PageLook, about: FormTarget & { same: string; other: string }): string {
  const { words } = look;
  const picture = trusted(renderSVG(about.other, { border: 2 }));
  const body = html`${errorMessage(about.error)}<p>${words.walletSameText}</p>
<p><a class="button" href="${about.same}">${words.walletOpen}</a></p>
<p>${words.walletOtherText}</p>
<p class="qr" role="img" aria-label="${words.walletQr}">${picture}</p>
${stepForm(
  about,
  'wallet-code',
  html`${field({ name: 'code', label: words.walletCode, complete: 'off', code: 'numeric' })}
<button type="submit" class="second">${words.continueLabel}</button>`,
)}${stepForm(about, 'wallet-forget', html`<button type="submit" class="plain">${words.walletBack}</button>`)}`;
  return page(look, { title: words.walletTitle, body });
}

/** On the other device. It says who gets in by the number, so that nobody is led to sign in a stranger. */
export function walletDevicePage(
  look: PageLook,
  about: {
    readonly action: string;
    readonly code: string;
    readonly site: string;
    readonly application: string;
    readonly userAgent: string;
    readonly address: string;
  },
): string {
  const { words } = look;
  const body = html`<p>${words.walletDeviceText(about.application, browserName(words, about.userAgent), about.address)}</p>
<p class="number"><code>${about.code.slice(0, 3)} ${about.code.slice(3)}</code></p>
<p class="soft">${words.walletDeviceWarning(about.site)}</p>
<form method="post" action="${about.action}"><button type="submit" class="second">${words.walletDeny}</button></form>`;
  return page(look, { title: words.walletDeviceTitle, body });
}

export const walletDeniedPage = (look: PageLook): string =>
  page(look, {
    title: look.words.walletDeniedTitle,
    body: html`<p role="status">${look.words.walletDeniedText}</p>`,
    once: true,
  });
