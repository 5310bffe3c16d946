// Forms: fields with labels and hints, checked by the browser, sent once, with the refusal shown beside them.
import { html, nothing, type TemplateResult } from 'lit';
import { ifDefined } from 'lit/directives/if-defined.js';
import { PageElement } from './element.ts';
import { FormParts, type FormSection } from './form-part.ts';
import { ApiError } from './http.ts';
import { passwordField } from './password.ts';
import { type Choice, pick } from './pick.ts';
import { picks } from './picks.ts';
import { type Problem, problemMessage, problemOf } from './problem.ts';
import { type RefusableField, refusedField } from './refused-field.ts';
import { shared } from './words/index.ts';

export interface FormField extends RefusableField {
  readonly label: string;
  /** The field begins a part of the form, which goes on to the next one. */
  readonly section?: FormSection;
  readonly type?:
    | 'text'
    | 'email'
    | 'password'
    | 'url'
    | 'number'
    | 'search'
    | 'date'
    | 'datetime-local'
    | 'textarea'
    | 'select'
    | 'checkbox'
    | 'checks'
    | 'file'
    | 'pick'
    | 'picks';
  readonly value?: string | number | boolean | undefined;
  /** For `checks`: those of `options` that are ticked at the beginning. */
  readonly values?: readonly string[];
  /** For `password`: whether the page can make one up. */
  readonly canGenerate?: boolean;
  readonly required?: boolean;
  /** For forms in which nothing is required: it is not said of each field. */
  readonly unmarked?: boolean;
  readonly hint?: string | TemplateResult;
  readonly options?: readonly { readonly value: string; readonly label: string; readonly disabled?: boolean }[];
  /** Suggestions while typing; anything else may be entered as well. */
  readonly suggestions?: readonly string[];
  readonly autocomplete?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly accept?: string;
  readonly multiple?: boolean;
  readonly readOnly?: boolean;
  /** Only of use with one of these values of another field: not shown without them, unless it has a value. What was entered is sent all the same. */
  readonly goesWith?: { readonly name: string; readonly values: readonly string[] };
  /** For `pick` and `picks`: finds what can be chosen. */
  find?(text: string, signal: AbortSignal): Promise<readonly Choice[]>;
  /** For `pick`: what is chosen at the beginning. */
  readonly chosen?: Choice | undefined;
  /** For `picks`: those that are chosen at the beginning. */
  readonly allChosen?: readonly Choice[];
  /** What is wrong with the value; the browser then refuses to send the form. Called while typing. `file`: what was chosen, of a file. */
  check?(value: string, file?: File): string | undefined;
  onChange?(value: string, file?: File): void;
}

function onInput(field: FormField, event: Event): void {
  const input = event.target as HTMLInputElement;
  if (field.check) {
    const wrong = field.check(input.value, input.files?.[0]) ?? '';
    input.setCustomValidity(wrong);
    const place = document.getElementById(`${input.id}-problem`);
    if (place) place.textContent = wrong;
    input.setAttribute('aria-invalid', wrong === '' ? 'false' : 'true');
  }
  field.onChange?.(input.type === 'checkbox' ? String(input.checked) : input.value, input.files?.[0]);
}

function control(field: FormField, id: string, isRefused: boolean): TemplateResult {
  const {
    name,
    type = 'text',
    value,
    required = false,
    options = [],
    maxLength,
    minLength,
    autocomplete,
    readOnly = false,
  } = field;
  const described = [
    field.hint === undefined ? '' : `${id}-hint`,
    field.check ? `${id}-problem` : '',
    isRefused ? `${id}-refusal` : '',
  ]
    .filter(Boolean)
    .join(' ');
  const input = (event: Event): void => onInput(field, event);
  const describedBy = ifDefined(described === '' ? undefined : described);
  if (type === 'pick')
    return pick({
      id,
      name,
      required,
      chosen: field.chosen,
      describedBy: described === '' ? undefined : described,
      find: field.find!,
      onChange: (picked) => field.onChange?.(picked),
    });
  if (type === 'picks')
    return picks({
      id,
      name,
      chosen: field.allChosen ?? [],
      describedBy: described === '' ? undefined : described,
      find: field.find!,
    });
  if (type === 'password')
    return passwordField({
      id,
      name,
      required,
      maxLength,
      minLength,
      autocomplete,
      describedBy: described === '' ? undefined : described,
      canGenerate: field.canGenerate ?? false,
      onInput: input,
    });
  if (type === 'textarea')
    return html`<textarea id=${id} name=${name} ?required=${required} ?readonly=${readOnly} rows="4" maxlength=${ifDefined(maxLength)} aria-describedby=${describedBy} .defaultValue=${String(value ?? '')} @input=${input}></textarea>`;
  if (type === 'select')
    return html`<select id=${id} name=${name} ?required=${required} ?multiple=${field.multiple ?? false} aria-describedby=${describedBy} @change=${input}>
      ${options.map((option) => html`<option value=${option.value} ?selected=${option.value === String(value ?? '')} ?disabled=${option.disabled ?? false}>${option.label}</option>`)}
    </select>`;
  return html`<input id=${id} name=${name} type=${type} ?required=${required} ?readonly=${readOnly} maxlength=${ifDefined(maxLength)} minlength=${ifDefined(minLength)}
      pattern=${ifDefined(field.pattern)} accept=${ifDefined(field.accept)} autocomplete=${ifDefined((autocomplete ?? 'off') as 'off')} aria-describedby=${describedBy}
      list=${ifDefined(field.suggestions ? `${id}-list` : undefined)} spellcheck="false" autocapitalize="none"
      .defaultValue=${type === 'file' ? '' : String(value ?? '')} @input=${input} />
    ${field.suggestions ? html`<datalist id="${id}-list">${field.suggestions.map((one) => html`<option value=${one}></option>`)}</datalist>` : nothing}`;
}

/** At least one has to be ticked where the field is required. */
function checkBoxes(event: Event): void {
  const boxes = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLInputElement>('input')];
  boxes[0]?.setCustomValidity(boxes.some((box) => box.checked) ? '' : shared.tickOne);
}

function checks(
  { name, label, options = [], values = [], required = false, unmarked = false }: FormField,
  id: string,
  hint: unknown,
  refusal: unknown,
): TemplateResult {
  const box = ({ value, label: text }: { value: string; label: string }, at: number): TemplateResult =>
    html`<label class="check" for="${id}-${at}"><input id="${id}-${at}" type="checkbox" name=${name} value=${value} .defaultChecked=${values.includes(value)} />
      <span>${text}</span></label>`;
  return html`<fieldset class="field" @change=${required ? checkBoxes : nothing}>
    <legend>${label}${required || unmarked ? nothing : html` <span class="soft">(${shared.optional})</span>`}</legend>${hint}${options.map(box)}${refusal}</fieldset>`;
}

/** A field with its label. Values are those at the beginning: rendering again does not undo what a person entered. `prefix` makes its id unique on the screen. */
export function formField(field: FormField, prefix = 'field', refused?: Problem): TemplateResult {
  const id = `${prefix}-${field.name}`;
  const hint = field.hint === undefined ? nothing : html`<p class="hint" id="${id}-hint">${field.hint}</p>`;
  const refusal = refused ? html`<div id="${id}-refusal">${problemMessage(refused)}</div>` : nothing;
  if (field.type === 'checks') return checks(field, id, hint, refusal);
  if (field.type === 'checkbox')
    return html`<div class="field"><label class="check" for=${id}>
        <input id=${id} name=${field.name} type="checkbox" .defaultChecked=${Boolean(field.value)} @change=${(event: Event) => onInput(field, event)}
          aria-describedby=${ifDefined(field.hint === undefined ? undefined : `${id}-hint`)} />
        <span>${field.label}</span></label>${hint}${refusal}</div>`;
  const problem = field.check ? html`<p class="field-problem" id="${id}-problem" aria-live="polite"></p>` : nothing;
  return html`<div class="field">
    <label for=${id}>${field.label}${field.required || field.unmarked ? nothing : html` <span class="soft">(${shared.optional})</span>`}</label>
    ${hint}${control(field, id, refused !== undefined)}${problem}${refusal}
  </div>`;
}

/** The values of a form by the names of its fields: texts without blanks at the ends, and `true` or `false` for boxes. */
export class FormValues {
  readonly #form: HTMLFormElement;
  constructor(form: HTMLFormElement) {
    this.#form = form;
  }
  text(name: string): string {
    const element = this.#form.elements.namedItem(name);
    const value = (element as HTMLInputElement | null)?.value ?? '';
    return element instanceof HTMLInputElement && 'secret' in element.dataset ? value : value.trim();
  }
  /** Undefined when it was left empty. */
  optional(name: string): string | undefined {
    return this.text(name) || undefined;
  }
  checked(name: string): boolean {
    return (this.#form.elements.namedItem(name) as HTMLInputElement | null)?.checked ?? false;
  }
  all(name: string): string[] {
    return new FormData(this.#form).getAll(name).filter((one): one is string => typeof one === 'string');
  }
  file(name: string): File | undefined {
    return (this.#form.elements.namedItem(name) as HTMLInputElement | null)?.files?.[0];
  }
}

export interface FormOptions {
  readonly fields: readonly FormField[];
  readonly submitLabel: string;
  readonly danger?: boolean;
  readonly cancel?: (() => void) | undefined;
  /** Shown above the buttons. */
  readonly extra?: TemplateResult | typeof nothing;
  /** Sends the form. What it throws is shown, and the form can be sent again. */
  submit(values: FormValues): Promise<void>;
  /** The person entered something. */
  onDirty?(): void;
}

const hasValue = ({ value = '', values = [] }: FormField): boolean => (value !== '' && value !== false) || values.length > 0;

let forms = 0;

/** `<gh-form .options=${...}>` */
export class FormElement extends PageElement {
  #options: FormOptions | undefined;
  #problem: Problem | undefined;
  /** The field that the problem is about, if it is about one. */
  #refused: FormField | undefined;
  #isBusy = false;
  readonly #prefix = `form${++forms}`;
  readonly #parts = new FormParts(this);
  /** What the browser refused to send: it is shown even if it is of no use. */
  readonly #wrong = new Set<string>();

  set options(options: FormOptions) {
    this.#options = options;
    this.requestUpdate();
  }

  /** Forgets what was entered, and shows the values of the fields. */
  reset(): void {
    this.#problem = undefined;
    this.#refused = undefined;
    this.#wrong.clear();
    this.querySelector('form')?.reset();
    this.requestUpdate();
  }

  async #send(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#problem = undefined;
    this.#inputOf(this.#refused)?.removeAttribute('aria-invalid');
    this.#refused = undefined;
    this.#wrong.clear();
    this.requestUpdate();
    try {
      await this.#options!.submit(new FormValues(event.target as HTMLFormElement));
    } catch (error) {
      this.#problem = problemOf(error, true);
      this.#refused = error instanceof ApiError ? refusedField(this.#options!.fields, error) : undefined;
      if (error instanceof TypeError) console.error(error);
    } finally {
      this.#isBusy = false;
      this.requestUpdate();
    }
    await this.updateComplete;
    // A long form in a dialog ends below what is seen.
    this.querySelector('[role=alert]')?.scrollIntoView({ block: 'nearest' });
    const input = this.#inputOf(this.#refused);
    if (!input) return;
    this.#parts.show(input);
    await this.updateComplete;
    input.setAttribute('aria-invalid', 'true');
    input.focus();
  }

  /** Before the browser says what is wrong, beside the field. The event does not go up. */
  readonly #onInvalid = {
    capture: true,
    handleEvent: ({ target }: Event): void => {
      this.#wrong.add((target as HTMLInputElement).name);
      this.#parts.show(target as Element);
      this.requestUpdate();
    },
  };

  #inputOf(field: FormField | undefined): HTMLElement | null {
    return field ? this.querySelector<HTMLElement>(`#${this.#prefix}-${field.name}`) : null;
  }

  #onInput(): void {
    this.#options!.onDirty?.();
    if (this.#options!.fields.some(({ goesWith }) => goesWith)) this.requestUpdate();
  }

  #isOfUse(field: FormField): boolean {
    const { name, values } = field.goesWith!;
    if (hasValue(field) || field.name === this.#refused?.name || this.#wrong.has(field.name)) return true;
    const form = this.querySelector('form');
    const other = this.#options!.fields.find((one) => one.name === name);
    const chosen = form ? new FormValues(form).all(name) : (other?.values ?? [String(other?.value ?? '')]);
    return chosen.some((one) => values.includes(one));
  }

  protected override render(): TemplateResult | typeof nothing {
    if (!this.#options) return nothing;
    const { fields, submitLabel, danger, cancel, extra = nothing } = this.#options;
    // A form in which nothing can be changed only shows; one without fields asks.
    const onlyShows = fields.length > 0 && fields.every(({ readOnly }) => readOnly);
    const submit = html`<button type="submit" class=${danger ? 'danger' : ''} ?disabled=${this.#isBusy}>${this.#isBusy ? shared.saving : submitLabel}</button>`;
    return html`<form @submit=${(event: SubmitEvent) => void this.#send(event)} @input=${() => this.#onInput()} @invalid=${this.#onInvalid}>
      ${this.#parts.render(fields, this.#prefix, (field) => {
        const shown = formField(field, this.#prefix, field.name === this.#refused?.name ? this.#problem : undefined);
        return field.goesWith ? html`<div ?hidden=${!this.#isOfUse(field)}>${shown}</div>` : shown;
      })}
      ${extra} ${this.#refused ? nothing : problemMessage(this.#problem)}
      <div class="buttons">
        ${onlyShows ? nothing : submit}
        ${cancel ? html`<button type="button" class="second" @click=${cancel}>${shared.cancel}</button>` : nothing}
      </div>
    </form>`;
  }
}
customElements.define('gh-form', FormElement);

export const form = (options: FormOptions): TemplateResult => html`<gh-form .options=${options}></gh-form>`;
