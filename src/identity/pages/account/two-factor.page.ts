// Section: two-factor authentication.

import { field, type Html, hidden, html, trusted } from '../../ground/look/index.ts';
import { type AccountView, button, form, section, stepField } from './layout.ts';

/** A new key that is not confirmed yet. */
export interface FactorProposal {
  readonly proposed: string;
  readonly key: string;
  /** `otpauth:`, which authenticator apps on the same phone open. */
  readonly uri: string;
  readonly svg: string;
  readonly asksQuestion: boolean;
}

export function twoFactorProposal(view: AccountView, { proposed, key, uri, svg, asksQuestion }: FactorProposal): Html {
  const { words } = view.look;
  const question = html`<p class="soft">${words.securityText}</p>
${field({ name: 'question', label: words.securityQuestion, complete: 'off' })}
${field({ name: 'answer', label: words.securityAnswer, complete: 'off' })}`;
  return section(
    words.twoFactor,
    html`<p>${words.scan}</p><p class="qr">${trusted(svg)}</p>
<p><a class="button second small" href="${uri}">${words.openAuthenticator}</a></p>
<p>${words.key}: <code class="copy">${key}</code></p>
${form(
  view,
  'two-factor-confirm',
  html`${hidden('proposed', proposed)}
${stepField(view, 'two-factor-confirm', { name: 'code', label: words.code, complete: 'one-time-code', code: 'numeric', focus: true })}
${asksQuestion && question}
<button type="submit">${words.turnOn}</button>`,
)}<p><a href="${view.action}">${words.cancel}</a></p>`,
  );
}

/** New codes are shown once. */
export function recoveryCodesSection(view: AccountView, codes: readonly string[]): Html {
  const { words } = view.look;
  return section(
    words.twoFactor,
    html`<p role="status">${words.recoveryCodesText}</p><ul class="codes">${codes.map((code) => html`<li>${code}</li>`)}</ul>
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

export function twoFactorSection(view: AccountView, factor: { readonly recoveryCodesLeft: number } | undefined): Html {
  const { words } = view.look;
  const body = factor
    ? html`<p>${words.twoFactorOn(factor.recoveryCodesLeft)}</p>
${button(view, 'recovery-codes', words.makeRecoveryCodes)}
${turnOff(view)}`
    : html`<p>${words.twoFactorOff}</p>${button(view, 'two-factor-on', words.turnOn, html``, { look: 'small' })}`;
  return section(words.twoFactor, body);
}
