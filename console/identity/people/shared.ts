// What several screens about people show.
import { html, type TemplateResult } from 'lit';
import { hrefOf } from '../../shared/router.ts';
import { session } from '../session.ts';
import { words } from '../words/index.ts';

export const stateBadge = (enabled: boolean): TemplateResult =>
  enabled
    ? html`<span class="badge good">${words.people.enabled}</span>`
    : html`<span class="badge bad">${words.people.disabled}</span>`;

/** The lists of people, invitations and deletions, beside each other. */
export function subScreens(current: string): TemplateResult | string {
  const { people } = words;
  const screens = [
    { path: '/people', label: people.accounts, rule: 'identity:list_users' },
    { path: '/people/invitations', label: people.invitations, rule: 'identity:list_invitations' },
    { path: '/people/deletions', label: people.deletions, rule: 'identity:list_account_deletions' },
  ].filter(({ rule }) => session.may(rule));
  if (screens.length < 2) return '';
  return html`<nav aria-label=${people.title}><ul class="tabs">${screens.map(
    ({ path, label }) => html`<li><a href=${hrefOf(path)} aria-current=${path === current ? 'page' : 'false'}>${label}</a></li>`,
  )}</ul></nav>`;
}
