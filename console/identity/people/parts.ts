// Parts that several screens about people show.
import { html, type TemplateResult } from 'lit';
import { hrefOf } from '../../shared/router.ts';
import { session } from '../session.ts';
import { words } from '../words/index.ts';

export const stateBadge = (enabled: boolean): TemplateResult =>
  enabled
    ? html`<span class="badge good">${words.people.enabled}</span>`
    : html`<span class="badge bad">${words.people.disabled}</span>`;

/** The lists of people and of invitations, beside each other. */
export function subScreens(current: string): TemplateResult | string {
  if (!session.may('identity:list_invitations')) return '';
  const link = (path: string, label: string): TemplateResult =>
    html`<li><a href=${hrefOf(path)} aria-current=${path === current ? 'page' : 'false'}>${label}</a></li>`;
  return html`<nav aria-label=${words.people.title}><ul class="tabs">
    ${link('/people', words.people.accounts)}${link('/people/invitations', words.people.invitations)}
  </ul></nav>`;
}
