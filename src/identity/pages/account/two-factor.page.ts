// Section: two-factor authentication.

import { field, type Html, hidden, html } from '../../ground/look/index.ts';
import { newKey, recoveryCodes, type ShownKey, securityQuestion } from '../sign-in/index.ts';
import { type AccountView, button, form, section, stepField } from './layout.ts';

/** A new key that is not confirmed yet. */
export interface FactorProposal extends ShownKey {
  readonly proposed: string;
  readonly asksQuestion: boolean;
}

export function twoFactorProposal(view: AccountView, { proposed, asksQuestion, ...key }: FactorProposal): Html {
  const { words } = view.look;
  return section(
    words.twoFactor,
    html`${newKey(words, key)}
${form(
  view,
  'two-factor-confirm',
  html`${hidden('proposed', proposed)}
${stepField(view, 'two-factor-confirm', { name: 'code', label: words.code, complete: 'one-time-code', code: 'numeric', focus: true })}
${asksQuestion && securityQuestion(words)}
<button type="submit">${words.turnOn}</button>`,
)}<p><a href="${view.action}">${words.cancel}</a></p>`,
  );
}

/** New codes are shown once. */
export function recoveryCodesSection(view: AccountView, codes: readonly string[]): Html {
  const { words } = view.look;
  return section(
    words.twoFactor,
    html`${recoveryCodes(words, codes)}
${button(view, 'recovery-codes-file', words.downloadCodes, hidden('codes', codes.join('\n')), { look: 'small' })}
<p class="soft after">${words.printCodes}</p>
<p><a href="${view.action}">${words.codesAreKept}</a></p>`,
  );
}

function turnOff(view: AccountView): Html {
  const { words } = view.look;
  const password = field({ name: 'password', label: words.currentPassword, type: 'password', complete: 'current-password' });
  return html`<details><summary>${words.turnOff}</summary>${button(view, 'two-factor-off', words.turnOff, password)}</details>`;
}

export function twoFactorSection(
  view: AccountView,
  factor: { readonly recoveryCodesLeft: number; readonly mustStay: boolean } | undefined,
): Html {
  const { words } = view.look;
  const body = factor
    ? html`<p>${words.twoFactorOn(factor.recoveryCodesLeft)}</p>
${button(view, 'recovery-codes', words.makeRecoveryCodes)}
${factor.mustStay ? html`<p class="soft">${words.twoFactorMustStay}</p>` : turnOff(view)}`
    : html`<p>${words.twoFactorOff}</p>${button(view, 'two-factor-on', words.turnOn, html``, { look: 'small' })}`;
  return section(words.twoFactor, body);
}
