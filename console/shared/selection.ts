// Rows of a list that a person ticked.
import { html, type TemplateResult } from 'lit';
import type { Column } from './table.ts';
import { shared } from './words/index.ts';

interface Row {
  readonly id: string;
}

export class Selection<Of extends Row> {
  readonly #chosen = new Map<string, Of>();
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Of those that are in the list now. */
  keep(rows: readonly Of[]): void {
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const id of [...this.#chosen.keys()]) {
      const row = byId.get(id);
      if (row) this.#chosen.set(id, row);
      else this.#chosen.delete(id);
    }
  }

  get rows(): readonly Of[] {
    return [...this.#chosen.values()];
  }

  #tick(row: Of, isChosen: boolean): void {
    if (isChosen) this.#chosen.set(row.id, row);
    else this.#chosen.delete(row.id);
    this.#changed();
  }

  column(nameOf: (row: Of) => string, isOffered: (row: Of) => boolean = () => true): Column<Of> {
    return {
      name: shared.chosen,
      cell: (row) =>
        isOffered(row)
          ? html`<input type="checkbox" class="choose" aria-label=${shared.choose(nameOf(row))} .checked=${this.#chosen.has(row.id)}
              @change=${(event: Event) => this.#tick(row, (event.target as HTMLInputElement).checked)} />`
          : '',
    };
  }

  /** All of the page, or none. */
  all(rows: readonly Of[]): TemplateResult {
    const isAll = rows.length > 0 && rows.every(({ id }) => this.#chosen.has(id));
    const set = (): void => {
      for (const row of rows)
        if (isAll) this.#chosen.delete(row.id);
        else this.#chosen.set(row.id, row);
      this.#changed();
    };
    return html`<button type="button" class="second small" ?disabled=${rows.length === 0} @click=${set}>${isAll ? shared.chooseNone : shared.chooseAll}</button>`;
  }

  /** What can be done with those that are ticked. */
  bar(
    rows: readonly Of[],
    acts: readonly { readonly label: string; readonly danger?: boolean; run(rows: readonly Of[]): Promise<void> }[],
  ): TemplateResult {
    const { rows: chosen } = this;
    return html`<div class="buttons choosing" role="group" aria-label=${shared.withChosen}>${this.all(rows)}
      <span role="status">${chosen.length === 0 ? '' : shared.countChosen(chosen.length)}</span>
      ${
        chosen.length === 0
          ? ''
          : acts.map(
              ({ label, danger, run }) =>
                html`<button type="button" class="second small ${danger ? 'danger' : ''}" @click=${() => void run(chosen)}>${label}</button>`,
            )
      }</div>`;
  }
}
