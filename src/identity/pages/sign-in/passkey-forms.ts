// Forms that a passkey answers. The script (passkeys.js) shows them, asks the browser for the passkey, and sends them. Without the script
// they stay hidden, and people sign in otherwise.
import { field, type Html, hidden, html, type PageLook } from '../../ground/look/index.ts';

interface FormTarget {
  readonly action: string;
  readonly token: string;
}

const notUsed = ({ words }: PageLook): Html => html`<p class="bad" role="alert" hidden>${words.passkeyNotUsed}</p>`;
const needsScript = ({ words }: PageLook): Html => html`<p class="soft" data-without-script>${words.passkeyNeedsScript}</p>`;

interface PasskeyFormContent {
  readonly options: object;
  readonly label: string;
  readonly step?: string;
  /** The browser also offers passkeys in the field for the user name. */
  readonly autofill?: boolean;
}

export const passkeyForm = (
  look: PageLook,
  { action, token }: FormTarget,
  { options, label, step = 'passkey', autofill = false }: PasskeyFormContent,
): Html =>
  html`<form method="post" action="${action}" hidden data-passkey="get"${autofill && html` data-autofill`} data-options="${JSON.stringify(options)}">
${notUsed(look)}${hidden('form_token', token)}${hidden('step', step)}${hidden('passkey', '')}
<button type="submit" class="second">${label}</button></form>`;

export const newPasskeyForm = (look: PageLook, { action, token }: FormTarget, options: object): Html =>
  html`${needsScript(look)}<form method="post" action="${action}" hidden data-passkey="create" data-options="${JSON.stringify(options)}">
${notUsed(look)}${hidden('form_token', token)}${hidden('step', 'passkey-create')}${hidden('passkey', '')}
${field({ name: 'passkey_name', label: look.words.passkeyName, complete: 'off', optional: true })}
<button type="submit">${look.words.passkeyCreate}</button></form>`;
