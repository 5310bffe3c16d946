// Organizations below each other, opened branch by branch.
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { define, PageElement } from '../../shared/element.ts';
import { type Problem, problemMessage, problemOf } from '../../shared/problem.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { shared } from '../../shared/words/index.ts';
import { stateBadge } from '../people/shared.ts';
import type { Links, Organization } from '../resources.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';

const PAGE = 100;

/** `<gh-tree .parent=${id}>`: the organizations directly below a domain or an organization; each can be opened. */
export class TreeElement extends PageElement {
  #parent = '';
  #children: readonly Organization[] | undefined;
  #hasMore = false;
  #problem: Problem | undefined;
  #opened: ReadonlySet<string> = new Set();

  set parent(id: string) {
    if (id === this.#parent) return;
    this.#parent = id;
    void this.#load();
  }

  async #load(): Promise<void> {
    try {
      const { projects, links } = await api.get<{ projects: readonly Organization[]; links: Links }>('/v3/projects', {
        query: { parent_id: this.#parent, limit: PAGE },
      });
      this.#children = projects;
      this.#hasMore = links.next !== null;
      this.#problem = undefined;
    } catch (error) {
      this.#problem = problemOf(error);
    }
    this.requestUpdate();
  }

  #toggle(id: string, isOpen: boolean): void {
    const opened = new Set(this.#opened);
    if (isOpen) opened.add(id);
    else opened.delete(id);
    this.#opened = opened;
    this.requestUpdate();
  }

  #branch({ id, name, enabled }: Organization): TemplateResult {
    const { organizations } = words;
    const isOpen = this.#opened.has(id);
    return html`<li>
      <button type="button" class="plain" aria-expanded=${isOpen ? 'true' : 'false'} aria-label=${organizations.below(name)}
        @click=${() => this.#toggle(id, !isOpen)}><span aria-hidden="true">${isOpen ? '▾' : '▸'}</span></button>
      <a href=${hrefOf(`/organizations/${part(id)}`)}>${name}</a> ${enabled ? nothing : stateBadge(false)}
      ${isOpen ? html`<gh-tree .parent=${id}></gh-tree>` : nothing}
    </li>`;
  }

  protected override render(): TemplateResult {
    const { organizations } = words;
    if (this.#problem) return html`${problemMessage(this.#problem, () => void this.#load())}`;
    if (!this.#children) return html`<p class="soft">${shared.loading}…</p>`;
    if (this.#children.length === 0) return html`<p class="soft">${organizations.nothingBelow}</p>`;
    return html`<ul class="tree">${repeat(
      this.#children,
      ({ id }) => id,
      (child) => this.#branch(child),
    )}</ul>
    ${this.#hasMore ? html`<p class="soft">${organizations.more(PAGE)}</p>` : nothing}`;
  }
}

define('gh-tree', TreeElement);

export const tree = (parent: string): TemplateResult => html`<gh-tree .parent=${parent}></gh-tree>`;
