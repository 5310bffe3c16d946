// Sections: applications that wait for the person's answer, and who may ask.
import { type Html, hidden, html, type PageWords } from '../../ground/look/index.ts';
import { type AccountView, button, form, list, section, stepField } from './layout.ts';

export interface RequestOnPage {
  readonly id: string;
  readonly application: string;
  readonly message: string | undefined;
  /** Of this service. */
  readonly scopes: readonly string[];
  readonly at: readonly { readonly name: string; readonly address: string; readonly scopes: readonly string[] }[];
  readonly address: string;
  /** In seconds. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

function apiItem({ resource: [before, after] }: PageWords, { name, address, scopes }: RequestOnPage['at'][number]): Html {
  const may = scopes.length > 0 && html`<ul>${scopes.map((one) => html`<li>${one}</li>`)}</ul>`;
  return html`<li>${before} <strong>${name}</strong> (<code>${address}</code>) ${after}${may}</li>`;
}

function requestItem(view: AccountView, request: RequestOnPage): Html {
  const { look } = view;
  const { words } = look;
  const { id, application, message, scopes, at, address, createdAt, expiresAt } = request;
  const itemId = `request-${id}`;
  const may = [...scopes.map((scope) => html`<li>${words.scopes[scope] ?? scope}</li>`), ...at.map((one) => apiItem(words, one))];
  return html`<li><div><strong id="${itemId}">${words.requestTitle(application)}</strong>
${message !== undefined && html`<p>${words.requestCompare} <strong><bdi>${message}</bdi></strong></p>`}
<p>${words.requestMay}</p><ul>${may}</ul>
<p class="soft">${words.requestFrom} ${look.time(createdAt)} ${words.requestAddress(address)}, ${words.requestUntil} ${look.time(expiresAt)}</p>
<div class="answers">${button(view, 'allow-request', words.allow, hidden('request', id), { look: 'small', about: itemId })}
${button(view, 'refuse-request', words.refuseRequest, hidden('request', id), { about: itemId })}</div></div></li>`;
}

export function requestsSection(view: AccountView, requests: readonly RequestOnPage[]): Html {
  const { words } = view.look;
  const items = requests.map((one) => requestItem(view, one));
  return section(words.requestsWait, html`<p class="soft">${words.requestsText}</p>${list(items, '')}`, 'requests');
}

export function whoMayAskSection(view: AccountView, choice: keyof PageWords['mayAsk']): Html {
  const { words } = view.look;
  const options = (['all', 'code', 'none'] as const).map(
    (one) => html`<option value="${one}"${one === choice && html` selected`}>${words.mayAsk[one]}</option>`,
  );
  const code = stepField(view, 'who-may-ask', {
    name: 'code',
    label: words.askCode,
    complete: 'off',
    code: 'text',
    optional: true,
  });
  return section(
    words.whoMayAsk,
    html`<p class="soft">${words.whoMayAskText}</p>
${form(
  view,
  'who-may-ask',
  html`<label for="choice">${words.mayAskLabel}</label>
<select id="choice" name="choice">${options}</select>${code}
<button type="submit" class="second">${words.saveChoice}</button>`,
)}`,
    'who-may-ask',
  );
}
