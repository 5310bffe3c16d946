// A field to choose several of many things that the service finds while one types.
import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { PageElement } from './element.ts';
import { type Choice, pick } from './pick.ts';
import { shared } from './words/index.ts';

export interface PicksOptions {
  readonly id: string;
  readonly name: string;
  /** Those at the beginning. */
  readonly chosen: readonly Choice[];
  readonly describedBy?: string | undefined;
  find(text: string, signal: AbortSignal): Promise<readonly Choice[]>;
}

/** `<gh-picks .options=${...}>`. The form has the value of each choice under `name`. */
export class PicksElement extends PageElement {
  #options: PicksOptions | undefined;
  #chosen: readonly Choice[] = [];
  readonly #found = new Map<string, Choice>();
  /** The field is another one after each choice: empty again. */
  #round = 0;

  set options(options: PicksOptions) {
    // Rendering again does not undo what a person chose.
    if (this.#options === undefined) this.#chosen = options.chosen;
    this.#options = options;
    this.requestUpdate();
  }

  async #find(text: string, signal: AbortSignal): Promise<readonly Choice[]> {
    const choices = await this.#options!.find(text, signal);
    for (const choice of choices) this.#found.set(choice.value, choice);
    return choices.filter(({ value }) => !this.#chosen.some((one) => one.value === value));
  }

  async #add(value: string): Promise<void> {
    const choice = this.#found.get(value);
    if (!choice) return;
    this.#chosen = [...this.#chosen, choice];
    this.#round++;
    this.requestUpdate();
    await this.updateComplete;
    // Its own element renders a moment later.
    requestAnimationFrame(() => this.querySelector<HTMLInputElement>('input[role=combobox]')?.focus());
  }

  #remove({ value }: Choice): void {
    this.#chosen = this.#chosen.filter((one) => one.value !== value);
    this.requestUpdate();
    this.dispatchEvent(new Event('input', { bubbles: true }));
  }

  protected override render(): TemplateResult | typeof nothing {
    if (!this.#options) return nothing;
    const { id, name, describedBy } = this.#options;
    const item = (choice: Choice): TemplateResult => html`<li class="between"><span>${choice.label}</span>
      <input type="hidden" name=${name} .value=${choice.value} />
      <button type="button" class="plain" aria-label=${`${shared.remove}: ${choice.label}`} @click=${() => this.#remove(choice)}>✕</button></li>`;
    return html`${this.#chosen.length === 0 ? nothing : html`<ul class="plain-list picked">${this.#chosen.map(item)}</ul>`}
      ${keyed(
        this.#round,
        pick({
          id,
          name: `${name}-more`,
          required: false,
          describedBy,
          find: (text, signal) => this.#find(text, signal),
          onChange: (value) => void this.#add(value),
        }),
      )}`;
  }
}
customElements.define('gh-picks', PicksElement);

export const picks = (options: PicksOptions): TemplateResult => html`<gh-picks .options=${options}></gh-picks>`;
