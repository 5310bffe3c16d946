// Tables. On a narrow screen each row becomes a card, with the names of the columns beside the values.
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Content } from './screen.ts';
import { shared } from './words/index.ts';

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => Content;
  /** The name that the API sorts by. */
  readonly sort?: string;
  /** Rows are known by this column: screen readers read it first. */
  readonly isHeader?: boolean;
}

export interface TableOptions<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /**
   * For rows that hold something of their own, such as an open part or a focus: they move with their key. Without it a row is filled
   * again in place, which is much less work when everything changes, as in a search.
   */
  readonly key?: (row: Row) => string;
  readonly actions?: (row: Row) => Content;
  /** As the API has it: `name`, or `-name` for the other direction. */
  readonly sort?: string | undefined;
  readonly onSort?: (sort: string) => void;
  /** Shown instead of an empty table: what to do first. */
  readonly empty?: Content;
}

function headerCell<Row>({ name, sort }: Column<Row>, { sort: current, onSort }: TableOptions<Row>): TemplateResult {
  if (sort === undefined || !onSort) return html`<th scope="col">${name}</th>`;
  const direction = current === sort ? 'ascending' : current === `-${sort}` ? 'descending' : 'none';
  const arrow = { ascending: '▲', descending: '▼', none: '' }[direction];
  return html`<th scope="col" aria-sort=${direction}>
    <button type="button" class="plain" title=${shared.sortBy(name)} @click=${() => onSort(direction === 'ascending' ? `-${sort}` : sort)}>
      ${name} <span aria-hidden="true">${arrow}</span>
    </button>
  </th>`;
}

export function table<Row>(options: TableOptions<Row>): TemplateResult {
  const { caption, columns, rows, key, actions, empty } = options;
  if (rows.length === 0 && empty !== undefined) return html`<div class="empty">${empty}</div>`;
  const row = (of: Row): TemplateResult => html`<tr>
    ${columns.map(({ name, cell, isHeader }) =>
      isHeader ? html`<th scope="row" data-name=${name}>${cell(of)}</th>` : html`<td data-name=${name}>${cell(of)}</td>`,
    )}
    ${actions ? html`<td class="row-actions">${actions(of)}</td>` : nothing}
  </tr>`;
  return html`<div class="table" role="region" aria-label=${caption} tabindex="0"><table>
    <caption class="hidden">${caption}</caption>
    <thead><tr>
      ${columns.map((column) => headerCell(column, options))}
      ${actions ? html`<th scope="col"><span class="hidden">${shared.actions}</span></th>` : nothing}
    </tr></thead>
    <tbody>${key ? repeat(rows, key, row) : rows.map(row)}</tbody>
  </table></div>`;
}
