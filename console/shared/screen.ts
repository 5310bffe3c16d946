// The base of all screens: loads what it shows, and renders progress, errors and the content.
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { PageElement } from './element.ts';
import { SignedOutError } from './http.ts';
import { icon } from './icons.ts';
import { type Problem, problemMessage, problemOf } from './problem.ts';
import type { Location } from './router.ts';
import { shared } from './words/index.ts';

/** What a screen may render. */
export type Content = TemplateResult | typeof nothing | string | number | readonly Content[];

/** Where the content will be, so that nothing jumps when it comes. */
const SKELETON = html`<div class="skeleton" aria-hidden="true"><i></i><i></i><i></i><i></i><i></i></div>`;

/** What is there at once needs no bar: it would only flash. */
const PROGRESS_MS = 200;

export abstract class Screen extends PageElement {
  location: Location = { path: '/', params: {}, query: new URLSearchParams() };
  /** The page of docs/guide about it. */
  guide = '';
  #state: 'loading' | 'shown' | 'failed' = 'loading';
  #problem: Problem | undefined;
  #loading: AbortController | undefined;
  #waiting: ReturnType<typeof setTimeout> | undefined;
  #showsProgress = false;
  /** Content stays while it is loaded again. */
  #hasContent = false;

  /** The heading, and the title of the window. Called before everything is loaded. */
  abstract heading(): string;
  protected abstract content(): Content;

  /** Reads what the screen shows, into fields. Called at first, and when the address changes. */
  protected async load(_signal: AbortSignal): Promise<void> {}

  /** Of what is shown now; it may have a page, or a place on the page, of its own. */
  protected guidePage(): string {
    return this.guide;
  }

  /** Buttons beside the heading. */
  protected headingActions(): Content {
    return nothing;
  }

  /** Loads and shows everything again, such as after a change. */
  async reload(): Promise<void> {
    this.#loading?.abort();
    const loading = new AbortController();
    this.#loading = loading;
    this.#state = 'loading';
    this.#waiting ??= setTimeout(() => {
      this.#showsProgress = true;
      this.requestUpdate();
    }, PROGRESS_MS);
    this.requestUpdate();
    try {
      await this.load(loading.signal);
      if (loading.signal.aborted) return;
      this.#state = 'shown';
      this.#hasContent = true;
      this.#problem = undefined;
    } catch (error) {
      if (loading.signal.aborted) return;
      if (!(error instanceof SignedOutError)) reportToConsole(error);
      this.#state = 'failed';
      this.#problem = problemOf(error);
    }
    this.#endProgress();
    this.requestUpdate();
  }

  #endProgress(): void {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    this.#showsProgress = false;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#loading?.abort();
    this.#endProgress();
  }

  protected override updated(_changes: PropertyValues): void {
    this.dispatchEvent(new CustomEvent('heading', { bubbles: true, detail: this.heading() }));
  }

  protected override render(): TemplateResult {
    const isLoading = this.#state === 'loading';
    const showsContent = this.#hasContent && this.#state !== 'failed';
    return html`<header class="screen-head">
        <h1 tabindex="-1">${this.heading()}</h1>
        <a class="guide-link" href=${`/guide/${this.guidePage()}`} target="_blank" rel="noopener" aria-label=${shared.guideOf(this.heading())}>${icon('question')}<span>${shared.guide}</span></a>
        <div class="actions">${showsContent ? this.headingActions() : nothing}</div>
      </header>
      <div class="screen-body" aria-busy=${isLoading ? 'true' : 'false'}>
        ${this.#showsProgress ? html`<div class="progress" role="progressbar" aria-label=${shared.loading}></div>` : nothing}
        ${this.#showsProgress && !this.#hasContent && isLoading ? SKELETON : nothing}
        ${this.#state === 'failed' ? problemMessage(this.#problem, () => void this.reload()) : nothing}
        ${showsContent ? this.content() : nothing}
      </div>`;
  }
}

/** A fault of the page itself, for whoever opens the tools of the browser. Refusals of the service are shown to the person only. */
function reportToConsole(error: unknown): void {
  if (error instanceof TypeError || error instanceof ReferenceError) console.error(error);
}
