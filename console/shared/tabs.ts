// Tabs of a screen: links, so that each has its own address.
import { html, type TemplateResult } from 'lit';
import type { Content } from './screen.ts';

export interface Tab {
  readonly id: string;
  readonly label: string;
  readonly href: string;
  /** The page of docs/guide about it, or the place on one, if that of the screen says less. */
  readonly guide?: string;
  content(): Content;
}

/** The tab that the address names, or the first. */
export const currentTab = (tabs: readonly Tab[], id: string | null): Tab | undefined =>
  tabs.find((tab) => tab.id === id) ?? tabs[0];

export const tabBar = (
  label: string,
  tabs: readonly Tab[],
  current: Tab | undefined,
): TemplateResult => html`<nav aria-label=${label}>
  <ul class="tabs">${tabs.map(
    (tab) => html`<li><a href=${tab.href} aria-current=${tab === current ? 'page' : 'false'}>${tab.label}</a></li>`,
  )}</ul>
</nav>`;
