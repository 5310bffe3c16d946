// What only people look for who know how credentials work: closed at first, and never in the way.
import { html, type TemplateResult } from 'lit';
import { hrefOf } from '../shared/router.ts';
import { tabBar } from '../shared/tabs.ts';
import { session } from './session.ts';
import { words } from './words/index.ts';

export const forExperts = (content: TemplateResult): TemplateResult =>
  html`<details class="card experts"><summary>${words.experts.title}</summary>${content}</details>`;

const SCREENS = [
  { id: 'keys', label: () => words.keys.title },
  { id: 'identifiers', label: () => words.identifiers.title },
  { id: 'node', label: () => words.node.title, isForAdministrators: true },
] as const;

/** Leads between the screens for experts, which share one place in the menu. */
export function expertTabs(current: (typeof SCREENS)[number]['id']): TemplateResult {
  const tabs = SCREENS.filter((one) => !('isForAdministrators' in one) || session.person.administrator).map(({ id, label }) => ({
    id,
    label: label(),
    href: hrefOf(`/${id}`),
    content: () => '',
  }));
  return tabBar(
    words.experts.title,
    tabs,
    tabs.find(({ id }) => id === current),
  );
}
