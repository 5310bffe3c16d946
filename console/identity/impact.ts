// What a deletion would end and remove, in numbers, as the service counts it. Shown in the dialog that asks, which does not wait for them.
import { html, type TemplateResult } from 'lit';
import { define, PageElement } from '../shared/element.ts';
import { numberText } from '../shared/time.ts';
import { shared } from '../shared/words/index.ts';
import { api } from './session.ts';
import { words } from './words/index.ts';

interface Impact {
  readonly counts: Readonly<Record<string, number>>;
  /** Larger numbers are not counted. */
  readonly most: number;
  /** False: every number is the least. */
  readonly complete: boolean;
}

export interface ImpactOptions {
  /** Of the thing, in the API. */
  readonly path: string;
  /** Only these counts, for an act that does less than a deletion. */
  readonly only?: readonly string[];
  /** What is said before the numbers, where nothing is about to be deleted. */
  readonly title?: string;
}

type Count = keyof typeof words.impact.counts;

/** A deleted person leaves groups, and a deleted group lets people go; only a domain takes them with it. */
const OTHER_NAMES: Readonly<Record<string, Readonly<Record<string, Count>>>> = {
  users: { groups: 'memberships' },
  groups: { users: 'members' },
};

/** `<gh-impact .options=${...}>` */
export class ImpactElement extends PageElement {
  #options: ImpactOptions | undefined;
  #impact: Impact | undefined;
  #hasFailed = false;

  set options(options: ImpactOptions) {
    if (this.#options) return;
    this.#options = options;
    void this.#load();
  }

  async #load(): Promise<void> {
    try {
      this.#impact = (await api.get<{ impact: Impact }>(`${this.#options!.path}/OS-IMPACT/deletion`)).impact;
    } catch {
      this.#hasFailed = true;
    }
    this.requestUpdate();
  }

  #lines({ counts, most, complete }: Impact): string[] {
    const { impact } = words;
    const { only, path } = this.#options!;
    const others = OTHER_NAMES[path.split('/')[2]!];
    return Object.entries(counts).flatMap(([name, count]) => {
      const line = impact.counts[others?.[name] ?? (name as Count)];
      if (count === 0 || !line || (only && !only.includes(name))) return [];
      return [line(count, count >= most || !complete ? impact.atLeast(numberText(count)) : numberText(count))];
    });
  }

  protected override render(): TemplateResult {
    const { impact } = words;
    if (this.#hasFailed) return html`<p class="soft">${impact.unknown}</p>`;
    if (!this.#impact) return html`<p class="soft">${shared.loading}…</p>`;
    const lines = this.#lines(this.#impact);
    const { title } = this.#options!;
    if (lines.length === 0) return title === undefined ? html`<p>${impact.nothing}</p>` : html``;
    return html`<p>${title ?? impact.title}</p><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
  }
}

define('gh-impact', ImpactElement);

export const impactOf = (path: string, only?: readonly string[], title?: string): TemplateResult =>
  html`<div aria-live="polite"><gh-impact .options=${{ path, ...(only ? { only } : {}), ...(title === undefined ? {} : { title }) }}></gh-impact></div>`;
