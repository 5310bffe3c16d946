// The parts of a long form. On a phone only the first is open at the beginning: the others are a list of their titles.
import { html, nothing, type ReactiveController, type TemplateResult } from 'lit';
import type { PageElement } from './element.ts';

/** A part of a long form. */
export interface FormSection {
  readonly title: string;
  readonly hint?: string;
}

interface FieldOfPart {
  readonly section?: FormSection;
}
interface Part<Field> {
  readonly section: FormSection | undefined;
  readonly fields: Field[];
}

/** So many parts are short enough to be open together everywhere. */
const MOST_OPEN = 3;
/** As in style.css. */
const PHONE = matchMedia('(max-width: 36rem)');

function partsOf<Field extends FieldOfPart>(fields: readonly Field[]): Part<Field>[] {
  const parts: Part<Field>[] = [];
  for (const field of fields)
    if (field.section || parts.length === 0) parts.push({ section: field.section, fields: [field] });
    else parts.at(-1)!.fields.push(field);
  return parts;
}

export class FormParts implements ReactiveController {
  readonly #host: PageElement;
  /** What was opened or closed, by its place among the parts. */
  readonly #opened = new Map<number, boolean>();
  readonly #follow = (): void => this.#host.requestUpdate();

  constructor(host: PageElement) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    PHONE.addEventListener('change', this.#follow);
  }

  hostDisconnected(): void {
    PHONE.removeEventListener('change', this.#follow);
  }

  /** Opens the part of this control, such as one that is wrong. */
  show(control: Element): void {
    const part = control.closest<HTMLElement>('.form-part');
    if (part) this.#set(Number(part.dataset.place), true);
  }

  #set(place: number, isOpen: boolean): void {
    this.#opened.set(place, isOpen);
    this.#host.requestUpdate();
  }

  render<Field extends FieldOfPart>(
    fields: readonly Field[],
    prefix: string,
    render: (field: Field) => TemplateResult,
  ): readonly TemplateResult[] {
    const parts = partsOf(fields);
    const folds = parts.length > MOST_OPEN && PHONE.matches;
    return parts.map(({ section, fields: own }, place) => {
      if (!section) return html`${own.map(render)}`;
      const id = `${prefix}-part-${place}`;
      const isOpen = !folds || (this.#opened.get(place) ?? place === 0);
      return html`<div class="form-part" id=${id} data-place=${place} role="group" aria-labelledby="${id}-title">
        <header><h3 id="${id}-title">${folds ? this.#opener(section, place, isOpen, id) : section.title}</h3>
          ${section.hint === undefined ? nothing : html`<p class="hint">${section.hint}</p>`}</header>
        <div id="${id}-fields" ?hidden=${!isOpen}>${own.map(render)}</div>
      </div>`;
    });
  }

  #opener({ title }: FormSection, place: number, isOpen: boolean, id: string): TemplateResult {
    return html`<button type="button" class="opener" aria-expanded=${isOpen ? 'true' : 'false'} aria-controls="${id}-fields"
      @click=${() => this.#set(place, !isOpen)}>${title}</button>`;
  }
}
