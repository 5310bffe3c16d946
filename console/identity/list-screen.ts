// The base of the screens that list things of one kind: searched, sorted and paged by the service.
import { html, nothing } from 'lit';
import { type ListQuery, listQuery, nextMarker, pager, searchBox } from '../shared/list.ts';
import { type Content, Screen } from '../shared/screen.ts';
import { type Column, table } from '../shared/table.ts';
import { goQuery } from './frame.ts';
import { domainNames, type Links } from './resources.ts';
import { api } from './session.ts';

const PAGE = 50;

export interface ListTexts {
  readonly caption: string;
  /** What is searched for, in the search box. */
  readonly what: string;
  readonly empty: Content;
  readonly nothingFound: (search: string) => Content;
}

export abstract class ListScreen<Row> extends Screen {
  /** The list of the API, such as `/v3/groups`. Its answer has the rows by the last part of the path. */
  protected abstract readonly path: string;
  protected rows: readonly Row[] = [];
  /** Names by id, once they were read. */
  protected domains: ReadonlyMap<string, string> = new Map();
  #query: ListQuery = { search: undefined, sort: undefined, marker: undefined };
  #next: string | undefined;

  /** More conditions of the list, from the address. */
  protected get filters(): Readonly<Record<string, string | undefined>> {
    return {};
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    await this.loadRows(signal);
  }

  protected async loadRows(signal: AbortSignal): Promise<void> {
    const query = listQuery(this.location);
    this.#query = query;
    const { search, sort, marker } = query;
    const answer = await api.get<Readonly<Record<string, unknown>> & { readonly links: Links }>(this.path, {
      // What is found has an order of its own.
      query: { ...(search ? { search } : { sort: sort ?? 'name' }), ...this.filters, marker, limit: PAGE },
      signal,
    });
    this.rows = answer[this.path.slice(this.path.lastIndexOf('/') + 1)] as readonly Row[];
    this.#next = nextMarker(answer.links.next);
  }

  /** Once, not for each letter of a search. */
  protected async loadDomains(signal: AbortSignal): Promise<void> {
    if (this.domains.size === 0) this.domains = await domainNames(signal);
  }

  /** A column with the domain, when there are several. */
  protected domainColumn<Of extends { readonly domain_id?: string | null }>(name: string): Column<Of>[] {
    if (this.domains.size <= 1) return [];
    return [{ name, cell: ({ domain_id: id }) => this.domains.get(id ?? '') ?? id ?? '' }];
  }

  protected list(
    { caption, what, empty, nothingFound }: ListTexts,
    columns: readonly Column<Row>[],
    tools?: Content,
    bar?: Content,
  ): Content {
    const { search, sort } = this.#query;
    const box = searchBox(what, this.#query, goQuery);
    return html`${tools === undefined ? box : html`<div class="toolbar">${box}${tools}</div>`}
    ${bar ?? nothing}
    ${table<Row>({
      caption,
      rows: this.rows,
      sort: search ? undefined : (sort ?? 'name'),
      onSort: (by) => void goQuery({ sort: by, search: undefined, marker: undefined }),
      columns,
      empty: search ? nothingFound(search) : empty,
    })}
    ${pager(this.#query, this.#next, goQuery)}`;
  }
}
