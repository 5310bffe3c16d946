// A field to choose one of many things that the service finds while one types, such as a person among a million: a combobox.
import { html, nothing, type TemplateResult } from 'lit';
import { ifDefined } from 'lit/directives/if-defined.js';
import { PageElement } from './element.ts';
import { problemOf } from './problem.ts';
import { shared } from './words/index.ts';

export interface Choice {
  readonly value: string;
  readonly label: string;
  /** What tells it from others with the same name. */
  readonly detail?: string | undefined;
}

export interface PickOptions {
  readonly id: string;
  readonly name: string;
  readonly required: boolean;
  readonly chosen?: Choice | undefined;
  readonly describedBy?: string | undefined;
  /** Asked when the field gets the focus, and while the person types. */
  find(text: string, signal: AbortSignal): Promise<readonly Choice[]>;
  onChange?(value: string): void;
}

const TYPING_MS = 200;

/** `<gh-pick .options=${...}>`. The form has the value of the choice under `name`. */
export class PickElement extends PageElement {
  #options: PickOptions | undefined;
  #chosen: Choice | undefined;
  #isTouched = false;
  #choices: readonly Choice[] = [];
  #isOpen = false;
  #at = -1;
  #message = '';
  #finding: AbortController | undefined;
  #typing: ReturnType<typeof setTimeout> | undefined;

  set options(options: PickOptions) {
    const before = this.#options;
    this.#options = options;
    const isOther = before?.chosen?.value !== options.chosen?.value;
    // Loaded again: what the person did not change follows. Otherwise saving would undo what somebody else chose.
    if (before === undefined || (isOther && !this.#isTouched)) this.#show(options.chosen);
    if (this.#chosen?.value === options.chosen?.value) this.#isTouched = false;
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#finding?.abort();
    clearTimeout(this.#typing);
  }

  get #input(): HTMLInputElement {
    return this.querySelector('input[role=combobox]')!;
  }

  #show(chosen: Choice | undefined): void {
    this.#chosen = chosen;
    const input = this.querySelector<HTMLInputElement>('input[role=combobox]');
    if (!input) return;
    input.value = chosen?.label ?? '';
    input.setCustomValidity('');
  }

  async #find(text: string): Promise<void> {
    this.#finding?.abort();
    const finding = new AbortController();
    this.#finding = finding;
    try {
      const choices = await this.#options!.find(text, finding.signal);
      if (finding.signal.aborted) return;
      this.#choices = choices;
      this.#message = choices.length === 0 ? shared.nothingFound : '';
    } catch (error) {
      if (finding.signal.aborted) return;
      const { title, text: what } = problemOf(error);
      this.#choices = [];
      this.#message = `${title}. ${what}`;
    }
    this.#at = -1;
    this.#isOpen = true;
    this.requestUpdate();
  }

  #choose(choice: Choice | undefined): void {
    this.#isTouched = true;
    this.#chosen = choice;
    const input = this.#input;
    if (choice) input.value = choice.label;
    input.setCustomValidity('');
    if (choice) this.#close();
    this.requestUpdate();
    this.#options!.onChange?.(choice?.value ?? '');
  }

  #close(): void {
    this.#finding?.abort();
    clearTimeout(this.#typing);
    this.#isOpen = false;
    this.#at = -1;
    this.requestUpdate();
  }

  #onInput(): void {
    const text = this.#input.value;
    if (this.#chosen) this.#choose(undefined);
    this.#input.setCustomValidity(text === '' ? '' : shared.chooseFromList);
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => void this.#find(text.trim()), TYPING_MS);
  }

  #onKey(event: KeyboardEvent): void {
    const { key } = event;
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault();
      if (!this.#isOpen) return void this.#find(this.#chosen ? '' : this.#input.value.trim());
      const count = this.#choices.length;
      if (count > 0) this.#at = (this.#at + (key === 'ArrowDown' ? 1 : -1) + count) % count;
      this.requestUpdate();
    } else if (key === 'Enter' && this.#isOpen && this.#choices[this.#at]) {
      event.preventDefault();
      this.#choose(this.#choices[this.#at]);
    } else if (key === 'Escape' && this.#isOpen) {
      event.preventDefault();
      event.stopPropagation();
      this.#close();
    }
  }

  protected override updated(): void {
    this.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }

  protected override render(): TemplateResult | typeof nothing {
    if (!this.#options) return nothing;
    const { id, name, required, describedBy } = this.#options;
    const list = `${id}-choices`;
    const active = this.#at >= 0 ? `${list}-${this.#at}` : undefined;
    return html`<input id=${id} type="text" role="combobox" aria-autocomplete="list" aria-expanded=${this.#isOpen ? 'true' : 'false'} aria-controls=${list}
        aria-activedescendant=${ifDefined(active)} aria-describedby=${ifDefined(describedBy)} ?required=${required} autocomplete="off" spellcheck="false"
        placeholder=${shared.typeToFind} .defaultValue=${this.#chosen?.label ?? ''}
        @focus=${() => void this.#find('')} @blur=${() => this.#close()} @input=${() => this.#onInput()} @keydown=${(event: KeyboardEvent) => this.#onKey(event)} />
      <input type="hidden" name=${name} .value=${this.#chosen?.value ?? ''} />
      <ul id=${list} class="choices" role="listbox" aria-label=${shared.choices} ?hidden=${!this.#isOpen || this.#choices.length === 0}>
        ${this.#choices.map(
          (choice, at) => html`<li id="${list}-${at}" role="option" aria-selected=${at === this.#at ? 'true' : 'false'}
            @mousedown=${(event: MouseEvent) => event.preventDefault()} @click=${() => this.#choose(choice)}>
            <span>${choice.label}</span>${choice.detail ? html` <span class="soft">${choice.detail}</span>` : nothing}</li>`,
        )}
      </ul>
      <p class="hint" aria-live="polite">${this.#isOpen ? this.#message : ''}</p>`;
  }
}
customElements.define('gh-pick', PickElement);

export const pick = (options: PickOptions): TemplateResult => html`<gh-pick .options=${options}></gh-pick>`;
