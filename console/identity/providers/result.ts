// What a mapping makes of claims, in words: who the person would be here, and what they get or do not get.
import { html, nothing, type TemplateResult } from 'lit';
import { thingLink } from '../resources.ts';
import { words } from '../words/index.ts';
import type { Claims, MappingResult, Withheld } from './types.ts';

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Whatever a provider writes is text here. */
export function claimList(claims: Claims): TemplateResult {
  return html`<dl class="facts">${Object.entries(claims).map(
    ([name, value]) => html`<dt><code class="wrap">${name}</code></dt><dd><code class="wrap">${text(value)}</code></dd>`,
  )}</dl>`;
}

const given = (name: TemplateResult | string, why: Withheld | null): TemplateResult =>
  html`<li>${name} ${why === null ? html`<span class="badge good">${words.providers.given}</span>` : html`<span class="badge warn">${words.providers.withheld[why]}</span>`}</li>`;

export function resultView({ refusal, user, groups, roles }: MappingResult): TemplateResult {
  const { providers } = words;
  if (refusal || !user) {
    const reasons: Readonly<Record<string, string>> = providers.refusals;
    const reason = refusal && Object.hasOwn(reasons, refusal.code) ? reasons[refusal.code] : undefined;
    return html`<div class="bad"><strong>${providers.refused}</strong><p>${reason ?? html`<span lang="en">${refusal?.why}</span>`}</p></div>`;
  }
  return html`<p><strong>${providers.kinds[user.kind]}</strong></p>
    <dl class="facts">
      ${user.name === null ? nothing : html`<dt>${providers.userName}</dt><dd>${user.id === null ? user.name : thingLink('users', user.id, user.name)}</dd>`}
      ${user.email === null ? nothing : html`<dt>${providers.email}</dt><dd>${user.email}</dd>`}
    </dl>
    <h4>${providers.groups}</h4>
    ${groups.length === 0 ? html`<p>${providers.noGroups}</p>` : html`<ul>${groups.map(({ name, why }) => given(name, why))}</ul>`}
    <h4>${providers.roles}</h4>
    ${roles.length === 0 ? html`<p>${providers.noRoles}</p>` : html`<ul>${roles.map(({ project, role, why }) => given(providers.roleIn(role, project), why))}</ul>`}`;
}
