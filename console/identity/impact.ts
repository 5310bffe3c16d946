// What a destructive act would end and remove, in numbers. Shown in the dialog that asks, which does not wait for them.
import { html, type TemplateResult } from 'lit';
import { define, PageElement } from '../shared/element.ts';
import { numberText } from '../shared/time.ts';
import { shared } from '../shared/words/index.ts';
import { api } from './session.ts';
import type { Links } from './things.ts';
import { words } from './words/index.ts';

export type Counted = keyof typeof words.impact.counts;

/** A list whose items would go: its path, and the name of the list in the answer. */
export interface CountedList {
  readonly what: Counted;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | boolean>>;
  readonly list: string;
}

/** More than these are not counted. */
const MAX_COUNTED = 200;

interface Line {
  readonly what: Counted;
  readonly count: number;
  readonly hasMore: boolean;
}

async function countOf({ what, path, query, list }: CountedList): Promise<Line> {
  const answer = await api.get<Record<string, unknown> & { links?: Links }>(path, { query: { ...query, limit: MAX_COUNTED } });
  return { what, count: (answer[list] as readonly unknown[]).length, hasMore: Boolean(answer.links?.next) };
}

/** `<gh-impact .lists=${...}>` */
export class ImpactElement extends PageElement {
  #lists: readonly CountedList[] | undefined;
  #lines: readonly Line[] | undefined;
  #hasFailed = false;

  set lists(lists: readonly CountedList[]) {
    if (this.#lists) return;
    this.#lists = lists;
    void this.#load();
  }

  async #load(): Promise<void> {
    try {
      this.#lines = await Promise.all(this.#lists!.map(countOf));
    } catch {
      this.#hasFailed = true;
    }
    this.requestUpdate();
  }

  protected override render(): TemplateResult {
    const { impact } = words;
    if (this.#hasFailed) return html`<p class="soft">${impact.unknown}</p>`;
    if (!this.#lines) return html`<p class="soft">${shared.loading}…</p>`;
    const lines = this.#lines.filter(({ count }) => count > 0);
    if (lines.length === 0) return html`<p>${impact.nothing}</p>`;
    const text = ({ what, count, hasMore }: Line): string =>
      impact.counts[what](count, hasMore ? impact.moreThan(numberText(count)) : numberText(count));
    return html`<p>${impact.title}</p><ul>${lines.map((line) => html`<li>${text(line)}</li>`)}</ul>`;
  }
}

define('gh-impact', ImpactElement);

export const impactOf = (lists: readonly CountedList[]): TemplateResult =>
  html`<div aria-live="polite"><gh-impact .lists=${lists}></gh-impact></div>`;
