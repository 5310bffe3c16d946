// What several screens about people show.
import { html, type TemplateResult } from 'lit';
import { hrefOf } from '../../shared/router.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';

export const stateBadge = (enabled: boolean): TemplateResult =>
  enabled
    ? html`<span class="badge good">${words.people.enabled}</span>`
    : html`<span class="badge bad">${words.people.disabled}</span>`;

export const WAITING = '/v3/OS-REGISTRATION/waiting';
/** As many as one page of a list has. */
const MANY_WAIT = 100;

/** How many wait for approval; 100 stands for more. Undefined for those who do not learn it. */
export async function countWaiting(signal: AbortSignal): Promise<number | undefined> {
  if (!session.may('identity:list_waiting_registrations')) return undefined;
  return (await api.get<{ waiting: unknown[] }>(WAITING, { query: { limit: MANY_WAIT }, signal })).waiting.length;
}

/** The lists of people, invitations, registrations and deletions, beside each other. */
export function subScreens(current: string, waiting?: number): TemplateResult | string {
  const { people } = words;
  const screens = [
    { path: '/people', label: people.accounts, rule: 'identity:list_users' },
    { path: '/people/invitations', label: people.invitations, rule: 'identity:list_invitations' },
    {
      path: '/people/waiting',
      label: waiting ? people.waiting.tabWith(waiting) : people.waiting.tab,
      rule: 'identity:list_waiting_registrations',
    },
    { path: '/people/deletions', label: people.deletions, rule: 'identity:list_account_deletions' },
  ].filter(({ rule }) => session.may(rule));
  if (screens.length < 2) return '';
  return html`<nav aria-label=${people.title}><ul class="tabs">${screens.map(
    ({ path, label }) => html`<li><a href=${hrefOf(path)} aria-current=${path === current ? 'page' : 'false'}>${label}</a></li>`,
  )}</ul></nav>`;
}
