// The account page.
import { type Html, html, trusted } from './html.ts';
import { errorMessage, field, hidden, page, successMessage } from './layout.ts';
import type { PageLook } from './look.ts';
import { newPasskeyForm } from './passkey-forms.ts';

interface PasskeyOnPage {
  readonly id: string;
  readonly name: string;
  readonly isSynced: boolean;
  /** Times in seconds. */
  readonly added: number;
  readonly lastUsed: number | undefined;
}

export interface AccountPageData {
  readonly token: string;
  readonly name: string;
  readonly userName: string;
  readonly email: string | undefined;
  readonly organizations: readonly { readonly name: string }[];
  readonly sessions: readonly { readonly signedInAt: number; readonly current: boolean }[];
  readonly devices: readonly { readonly id: string; readonly agent: string; readonly lastUsed: number }[];
  readonly applications: readonly { readonly id: string; readonly name: string }[];
  readonly factor: { readonly recoveryCodesLeft: number } | undefined;
  /** Undefined where passkeys cannot be used. */
  readonly passkeys: readonly PasskeyOnPage[] | undefined;
  /** Options for the browser to make one. */
  readonly newPasskey?: object | undefined;
  /** A new key that is not confirmed yet. */
  readonly proposal?: { readonly proposed: string; readonly key: string; readonly svg: string } | undefined;
  readonly recoveryCodes?: readonly string[] | undefined;
  readonly success?: string | undefined;
  readonly error?: string | undefined;
}

const ACTION = '/account';

const button = (data: AccountPageData, step: string, label: string, more: Html = html``, look = 'second small'): Html =>
  html`<form method="post" action="${ACTION}">${hidden('form_token', data.token)}${hidden('step', step)}${more}
<button type="submit" class="${look}">${label}</button></form>`;

const section = (title: string, body: Html): Html => html`<section><h2>${title}</h2>${body}</section>`;

const list = (items: readonly Html[], empty: string): Html =>
  items.length > 0 ? html`<ul class="list">${items}</ul>` : html`<p class="soft">${empty}</p>`;

function twoFactor(look: PageLook, data: AccountPageData): Html {
  const { words } = look;
  const { factor, proposal, recoveryCodes } = data;
  if (proposal)
    return html`<p>${words.scan}</p><p class="qr">${trusted(proposal.svg)}</p><p>${words.key}: <code>${proposal.key}</code></p>
<form method="post" action="${ACTION}">${hidden('form_token', data.token)}${hidden('step', 'two-factor-confirm')}${hidden('proposed', proposal.proposed)}
${field({ name: 'code', label: words.code, complete: 'one-time-code', code: 'numeric', focus: true })}
<p class="soft">${words.securityText}</p>
${field({ name: 'question', label: words.securityQuestion, complete: 'off' })}
${field({ name: 'answer', label: words.securityAnswer, complete: 'off' })}
<button type="submit">${words.turnOn}</button></form>`;
  const codes = recoveryCodes
    ? html`<p role="status">${words.recoveryCodesText}</p><ul class="codes">${recoveryCodes.map((code) => html`<li>${code}</li>`)}</ul>`
    : html``;
  if (!factor) return html`<p>${words.twoFactorOff}</p>${button(data, 'two-factor-on', words.turnOn, html``, 'small')}`;
  const password = field({ name: 'password', label: words.currentPassword, type: 'password', complete: 'current-password' });
  return html`<p>${words.twoFactorOn(factor.recoveryCodesLeft)}</p>${codes}
${button(data, 'recovery-codes', words.makeRecoveryCodes)}
<details><summary>${words.turnOff}</summary>${button(data, 'two-factor-off', words.turnOff, password)}</details>`;
}

function passkeyItem(look: PageLook, data: AccountPageData, { id, name, isSynced, added, lastUsed }: PasskeyOnPage): Html {
  const { words } = look;
  const used = lastUsed === undefined ? words.passkeyNeverUsed : html`${words.lastUsed} ${look.time(lastUsed)}`;
  const about = html`${words.passkeyAdded} ${look.time(added)}, ${used}${isSynced && html`, ${words.passkeySynced}`}`;
  const input = html`<input type="text" name="passkey_name" value="${name}" aria-label="${words.passkeyName}" autocomplete="off" maxlength="64" required>`;
  return html`<li><span>${name} <span class="soft">${about}</span></span>
<details><summary>${words.rename}</summary>${button(data, 'passkey-rename', words.rename, html`${hidden('passkey_id', id)}${input}`)}</details>
${button(data, 'passkey-remove', words.remove, hidden('passkey_id', id))}</li>`;
}

function passkeys(look: PageLook, data: AccountPageData, known: readonly PasskeyOnPage[]): Html {
  const { words } = look;
  const { token, newPasskey } = data;
  const items = list(
    known.map((one) => passkeyItem(look, data, one)),
    words.noPasskeys,
  );
  const add = newPasskey
    ? newPasskeyForm(look, { action: ACTION, token }, newPasskey)
    : button(data, 'passkey-new', words.passkeyAdd);
  return html`${items}${add}`;
}

export function accountPage(look: PageLook, data: AccountPageData): string {
  const { words } = look;
  const { sessions } = data;
  const body = html`${errorMessage(data.error)}${successMessage(data.success)}
${section(
  words.profile,
  html`<dl><dt>${words.name}</dt><dd>${data.name}</dd><dt>${words.userName}</dt><dd>${data.userName}</dd>
${data.email ? html`<dt>${words.email}</dt><dd>${data.email}</dd>` : ''}</dl>`,
)}
${section(
  words.organizations,
  list(
    data.organizations.map(({ name }) => html`<li>${name}</li>`),
    words.noOrganizations,
  ),
)}
${data.passkeys && section(words.passkeys, passkeys(look, data, data.passkeys))}
${section(words.twoFactor, twoFactor(look, data))}
${section(
  words.changePassword,
  html`<form method="post" action="${ACTION}">${hidden('form_token', data.token)}${hidden('step', 'password')}
${passwordFields(look)}
<button type="submit" class="small">${words.changePassword}</button></form>`,
)}
${section(
  words.sessions,
  html`${list(
    sessions.map(
      ({ signedInAt, current }) =>
        html`<li><span>${words.signedInAt} ${look.time(signedInAt)}${current ? html` <strong>(${words.thisSession})</strong>` : ''}</span></li>`,
    ),
    '',
  )}${sessions.length > 1 ? button(data, 'end-sessions', words.endOtherSessions) : ''}`,
)}
${section(
  words.devices,
  list(
    data.devices.map(
      ({ id, agent, lastUsed }) =>
        html`<li><span>${agent} <span class="soft">${words.lastUsed} ${look.time(lastUsed)}</span></span>${button(data, 'forget-device', words.forget, hidden('device', id))}</li>`,
    ),
    words.noDevices,
  ),
)}
${section(
  words.applications,
  list(
    data.applications.map(
      ({ id, name }) => html`<li><span>${name}</span>${button(data, 'revoke', words.revoke, hidden('application', id))}</li>`,
    ),
    words.noApplications,
  ),
)}
<p><a href="/openid/logout">${words.signOut}</a></p>`;
  return page(look, { title: words.account, body, wide: true, script: data.newPasskey !== undefined });
}

const passwordFields = ({ words }: PageLook): Html =>
  html`${field({ name: 'current_password', label: words.currentPassword, type: 'password', complete: 'current-password' })}
${field({ name: 'new_password', label: words.newPassword, type: 'password', complete: 'new-password' })}
${field({ name: 'new_password_again', label: words.newPasswordAgain, type: 'password', complete: 'new-password' })}`;
