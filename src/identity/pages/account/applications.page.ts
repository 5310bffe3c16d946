// Section: applications with access.

import { type Html, hidden, html } from '../../ground/look/index.ts';
import { type AccountView, button, list, section } from './layout.ts';

export function applicationsSection(
  view: AccountView,
  applications: readonly { readonly id: string; readonly name: string }[],
): Html {
  const { words } = view.look;
  const items = applications.map(
    ({ id, name }) => html`<li><span>${name}</span>${button(view, 'revoke', words.revoke, hidden('application', id))}</li>`,
  );
  return section(words.applications, list(items, words.noApplications));
}
