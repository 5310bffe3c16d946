// Section: what can act for the person. And the offer to end it, on pages after which it matters.
import type { DelegatedItem, DelegatedList } from '../../delegation/delegated-access/index.ts';
import { type Html, hidden, html, type PageLook } from '../../ground/look/index.ts';
import { ACCOUNT_PAGES } from '../../openid/paths/index.ts';
import { type AccountView, button, list, section } from './layout.ts';

export type { DelegatedList };

function delegatedItem(view: AccountView, { kind, id, is, name, project, createdAt, expiresAt }: DelegatedItem): Html {
  const { look } = view;
  const { words } = look;
  const called = name === undefined ? '' : is === 'trust' ? words.delegatedTo(name) : name;
  const about = html`${project !== undefined && html`${words.inProject(project)}, `}${words.madeAt} ${look.time(createdAt)}${
    expiresAt !== null && html`, ${words.endsAt} ${look.time(expiresAt)}`
  }`;
  const itemId = `delegated-${id}`;
  return html`<li><span id="${itemId}"><strong>${words.delegatedKinds[is]}</strong> ${called}<br><span class="soft">${about}</span></span>
${button(view, 'end-delegated', words.end, html`${hidden('kind', kind)}${hidden('id', id)}`, { about: itemId })}</li>`;
}

export function accessSections(view: AccountView, { items, hasMore }: DelegatedList): Html {
  const { words } = view.look;
  const listed = list(
    items.map((one) => delegatedItem(view, one)),
    words.noDelegated,
  );
  const others = (['security', 'sessions', 'applications'] as const).map(
    (name) => html`<li><a href="${ACCOUNT_PAGES[name]}">${words.accountPages[name]}</a>: ${words.otherWaysAre[name]}</li>`,
  );
  return html`${section(words.delegated, html`<p class="soft">${words.delegatedText}</p>${listed}${hasMore && html`<p>${words.moreTrusts}</p>`}`)}
${section(words.otherWays, html`<ul>${others}</ul>`)}
${section(words.endAll, html`<p>${words.endAllText}</p>${button(view, 'end-all-access', words.endAll, html``, { look: 'small' })}`)}`;
}

/** After a new password or a new second factor, which do not end it. */
export const delegatedNotice = ({ words }: PageLook, { items, hasMore }: DelegatedList): Html =>
  html`${
    items.length > 0 &&
    html`<p>${words.delegatedStays(items.length, hasMore)} <a href="${ACCOUNT_PAGES.access}">${words.seeDelegated}</a></p>`
  }`;
