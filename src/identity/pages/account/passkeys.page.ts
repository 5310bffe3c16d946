// Section: passkeys.

import { type Html, hidden, html } from '../../ground/look/index.ts';
import { newPasskeyForm } from '../sign-in/index.ts';
import { type AccountView, button, list, section } from './layout.ts';

export interface PasskeyOnPage {
  readonly id: string;
  readonly name: string;
  readonly isSynced: boolean;
  /** Times in seconds. */
  readonly added: number;
  readonly lastUsed: number | undefined;
}

function passkeyItem(view: AccountView, { id, name, isSynced, added, lastUsed }: PasskeyOnPage): Html {
  const { look } = view;
  const { words } = look;
  const used = lastUsed === undefined ? words.passkeyNeverUsed : html`${words.lastUsed} ${look.time(lastUsed)}`;
  const about = html`${words.passkeyAdded} ${look.time(added)}, ${used}${isSynced && html`, ${words.passkeySynced}`}`;
  const input = html`<input type="text" name="passkey_name" value="${name}" aria-label="${words.passkeyName}" autocomplete="off" maxlength="64" required>`;
  return html`<li><span>${name} <span class="soft">${about}</span></span>
<details><summary>${words.rename}</summary>${button(view, 'passkey-rename', words.rename, html`${hidden('passkey_id', id)}${input}`)}</details>
${button(view, 'passkey-remove', words.remove, hidden('passkey_id', id))}</li>`;
}

export function passkeysSection(view: AccountView, known: readonly PasskeyOnPage[]): Html {
  const { words } = view.look;
  const items = known.map((one) => passkeyItem(view, one));
  return section(words.passkeys, html`${list(items, words.noPasskeys)}${button(view, 'passkey-new', words.passkeyAdd)}`);
}

/** `options`: for the browser to make one. */
export const newPasskeySection = (view: AccountView, options: object): Html =>
  section(
    view.look.words.passkeys,
    html`${newPasskeyForm(view.look, view, options)}<p><a href="${view.action}">${view.look.words.cancel}</a></p>`,
  );
