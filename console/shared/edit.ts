// A form that changes one thing. When somebody else changed it in the meantime, it shows what is different now, and keeps what was entered.
import { html, nothing, type TemplateResult } from 'lit';
import { PageElement } from './element.ts';
import { type FormField, type FormValues, form } from './form.ts';
import { ConflictError } from './http.ts';
import { shared } from './words/index.ts';

/** A thing as it was read, with its version. */
export interface Version<Thing> {
  readonly thing: Thing;
  readonly etag: string | undefined;
}

export interface EditOptions<Thing> {
  readonly version: Version<Thing>;
  fields(thing: Thing): readonly FormField[];
  read(): Promise<Version<Thing>>;
  /** False: the person did not want it after all, and goes on with what was entered. */
  save(values: FormValues, etag: string | undefined, present: Thing): Promise<unknown>;
  /** It was saved: loads again, then tells it. Whoever reads that it was saved can go on at once, from the version that is there now. */
  onSaved(): Promise<void>;
  onDirty?(): void;
}

const shown = ({ value, values, chosen, allChosen, type, options }: FormField): string => {
  if (type === 'pick') return chosen?.label ?? '';
  if (type === 'picks') return (allChosen ?? []).map(({ label }) => label).join(', ');
  if (type === 'checks')
    return (options ?? [])
      .filter((option) => values?.includes(option.value))
      .map(({ label }) => label)
      .join(', ');
  if (type === 'checkbox') return value ? shared.yes : shared.no;
  return options?.find((option) => option.value === String(value ?? ''))?.label ?? String(value ?? '');
};

/** `<gh-edit .options=${...}>` */
export class EditElement extends PageElement {
  #options: EditOptions<unknown> | undefined;
  /** The version that a change is based on: newer than that of the options after a conflict. */
  #base: Version<unknown> | undefined;
  #changes: readonly { readonly label: string; readonly now: string }[] = [];

  set options(options: EditOptions<unknown>) {
    if (this.#base === undefined || this.#options?.version.etag !== options.version.etag) {
      this.#base = options.version;
      this.#changes = [];
    }
    this.#options = options;
    this.requestUpdate();
  }

  async #save(values: FormValues): Promise<void> {
    const { save, onSaved } = this.#options!;
    try {
      if ((await save(values, this.#base!.etag, this.#base!.thing)) === false) return;
    } catch (error) {
      if (error instanceof ConflictError) await this.#showPresent();
      throw error;
    }
    this.#changes = [];
    await onSaved();
  }

  async #showPresent(): Promise<void> {
    const { fields, read } = this.#options!;
    const before = fields(this.#base!.thing);
    this.#base = await read();
    const now = fields(this.#base.thing);
    this.#changes = now.flatMap((field, at) =>
      shown(field) === shown(before[at]!) ? [] : [{ label: field.label, now: shown(field) }],
    );
    this.requestUpdate();
  }

  #note(): TemplateResult | typeof nothing {
    if (this.#changes.length === 0) return nothing;
    return html`<div class="warn"><strong>${shared.presentTitle}</strong>
      <ul>${this.#changes.map(({ label, now }) => html`<li>${label}: <strong>${now === '' ? shared.none : now}</strong></li>`)}</ul>
      <p>${shared.presentText}</p></div>`;
  }

  protected override render(): TemplateResult | typeof nothing {
    if (!this.#options) return nothing;
    const { fields, onDirty } = this.#options;
    return form({
      // After a conflict, what the person did not enter follows the present state: saving must not undo it.
      fields: fields(this.#base!.thing),
      submitLabel: shared.save,
      extra: this.#note(),
      submit: (values) => this.#save(values),
      ...(onDirty ? { onDirty } : {}),
    });
  }
}
customElements.define('gh-edit', EditElement);

export const edit = <Thing>(options: EditOptions<Thing>): TemplateResult =>
  html`<gh-edit .options=${options as EditOptions<unknown>}></gh-edit>`;
