// Section: accounts at other providers.

import { type Html, hidden, html } from '../../ground/look/index.ts';
import type { LinkedAccount } from '../../login/federation/index.ts';
import { type AccountView, button, list, section } from './layout.ts';

function accountItem(view: AccountView, { id, provider, label, created_at: since, last_used_at: used }: LinkedAccount): Html {
  const { words, time } = view.look;
  const about = html`${words.providerConnected} ${time(since)}${used !== null && html`, ${words.lastUsed} ${time(used)}`}`;
  return html`<li><span>${provider}: ${label} <span class="soft">${about}</span></span>
${button(view, 'provider-unlink', words.providerDisconnect, hidden('link', id))}</li>`;
}

export function otherProvidersSection(view: AccountView, accounts: readonly LinkedAccount[]): Html {
  const { words } = view.look;
  const items = accounts.map((one) => accountItem(view, one));
  return section(words.providerAccounts, list(items, words.providerNoAccounts));
}
