// Does the same for several things, a few at a time, and says of each what became of it.
import { html, nothing, type TemplateResult } from 'lit';
import { openDialog } from './dialog.ts';
import { PageElement } from './element.ts';
import { problemOf } from './problem.ts';
import { shared } from './words/index.ts';

export interface Outcome {
  readonly state: 'done' | 'skipped' | 'failed';
  /** What happened, where it is not simply done. */
  readonly text?: string;
}

export interface RunEachOptions<Item> {
  readonly title: string;
  readonly items: readonly Item[];
  name(item: Item): string;
  /** What it throws is shown as the reason. */
  run(item: Item): Promise<Outcome>;
  /** Shown when all was tried. */
  after?(): TemplateResult;
}

export const DONE: Outcome = { state: 'done' };
/** Enough to be quick, and few enough to leave the service to others. */
const AT_ONCE = 4;
const BADGES = { done: 'good', skipped: 'warn', failed: 'bad' } as const;

function failure(error: unknown): Outcome {
  const { title, text, detail } = problemOf(error, true);
  return { state: 'failed', text: [title, detail ?? text].filter(Boolean).join(': ') };
}

/** `<gh-run-each .options=${...}>` begins when it is on the page, and stops when it is gone. */
class RunEach extends PageElement {
  #options: RunEachOptions<unknown> | undefined;
  readonly #outcomes = new Map<number, Outcome>();
  #isStopped = false;

  set options(options: RunEachOptions<unknown>) {
    if (this.#options) return;
    this.#options = options;
    void this.#run();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#isStopped = true;
  }

  get #isOver(): boolean {
    return this.#outcomes.size === this.#options?.items.length;
  }

  async #run(): Promise<void> {
    const { items, run } = this.#options!;
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < items.length && !this.#isStopped) {
        const at = next++;
        const outcome = await run(items[at]).catch(failure);
        this.#outcomes.set(at, outcome);
        this.requestUpdate();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  protected override render(): TemplateResult | typeof nothing {
    if (!this.#options) return nothing;
    const { items, name, after } = this.#options;
    const count = (state: Outcome['state']): number => [...this.#outcomes.values()].filter((one) => one.state === state).length;
    const status = this.#isOver
      ? shared.allTried(count('done'), count('skipped'), count('failed'))
      : shared.tried(this.#outcomes.size, items.length);
    const row = (item: unknown, at: number): TemplateResult => {
      const outcome = this.#outcomes.get(at);
      return html`<li class="between"><span>${name(item)}</span>
        <span>${
          outcome
            ? html`<span class="badge ${BADGES[outcome.state]}">${shared.outcomes[outcome.state]}</span> ${outcome.text ?? nothing}`
            : nothing
        }</span></li>`;
    };
    return html`<p role="status">${status}</p>
      <ul class="plain-list outcomes">${items.map(row)}</ul>
      ${this.#isOver && after ? after() : nothing}`;
  }
}
customElements.define('gh-run-each', RunEach);

/** Resolves when the person closes the dialog. Closing it early stops what was not begun. */
export async function runEach<Item>(options: RunEachOptions<Item>): Promise<void> {
  await openDialog<void>(
    options.title,
    (close) => html`<gh-run-each .options=${options}></gh-run-each>
      <div class="buttons"><button type="button" @click=${() => close()}>${shared.close}</button></div>`,
  );
}
