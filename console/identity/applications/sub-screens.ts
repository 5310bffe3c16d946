// The lists of applications beside each other: those that somebody registered, and those that registered themselves.
import { html, type TemplateResult } from 'lit';
import { hrefOf } from '../../shared/router.ts';
import { session } from '../session.ts';
import { words } from '../words/index.ts';

export function subScreens(current: string): TemplateResult | string {
  const { applications, selfRegistration } = words;
  const screens = [
    { path: '/applications', label: applications.title, rule: 'list_consumers' },
    { path: '/applications/registered', label: selfRegistration.title, rule: 'identity:manage_registered_applications' },
  ].filter(({ rule }) => session.may(rule));
  if (screens.length < 2) return '';
  return html`<nav aria-label=${applications.title}><ul class="tabs">${screens.map(
    ({ path, label }) => html`<li><a href=${hrefOf(path)} aria-current=${path === current ? 'page' : 'false'}>${label}</a></li>`,
  )}</ul></nav>`;
}
