// Lists that the service searches, sorts and pages. What is shown is in the address: `?search=&sort=&marker=`.
import { html, nothing, type TemplateResult } from 'lit';
import type { Location } from './router.ts';
import { shared } from './words/index.ts';

export interface ListQuery {
  readonly search: string | undefined;
  readonly sort: string | undefined;
  readonly marker: string | undefined;
}

/** What the address asks for. `prefix` when a screen has several lists. */
export const listQuery = ({ query }: Location, prefix = ''): ListQuery => ({
  search: query.get(`${prefix}search`) ?? undefined,
  sort: query.get(`${prefix}sort`) ?? undefined,
  marker: query.get(`${prefix}marker`) ?? undefined,
});

/** The marker of the next page, from the answer's `links.next`. */
export function nextMarker(next: string | null | undefined): string | undefined {
  if (!next) return undefined;
  return URL.parse(next, window.location.origin)?.searchParams.get('marker') ?? undefined;
}

type Go = (changes: Readonly<Record<string, string | undefined>>, options?: { replace?: boolean }) => Promise<void>;
const TYPING_MS = 300;
let typing: ReturnType<typeof setTimeout> | undefined;

/** Searches while the person types, after a short pause. */
export function searchBox(what: string, { search }: ListQuery, go: Go, prefix = ''): TemplateResult {
  const run = (text: string): void => {
    clearTimeout(typing);
    void go({ [`${prefix}search`]: text.trim(), [`${prefix}marker`]: undefined }, { replace: true });
  };
  return html`<form class="search" role="search" @submit=${(event: SubmitEvent) => {
    event.preventDefault();
    run((event.target as HTMLFormElement).querySelector('input')!.value);
  }}>
    <label class="hidden" for="${prefix}search">${shared.searchFor(what)}</label>
    <input id="${prefix}search" name="search" type="search" placeholder=${shared.searchFor(what)} .defaultValue=${search ?? ''} autocomplete="off"
      spellcheck="false" @input=${(event: Event) => {
        clearTimeout(typing);
        const { value } = event.target as HTMLInputElement;
        typing = setTimeout(() => run(value), TYPING_MS);
      }} />
  </form>`;
}

export function pager({ marker }: ListQuery, next: string | undefined, go: Go, prefix = ''): TemplateResult | typeof nothing {
  if (!marker && !next) return nothing;
  return html`<nav class="pager" aria-label=${shared.nextPage}>
    ${marker ? html`<button type="button" class="second small" @click=${() => void go({ [`${prefix}marker`]: undefined })}>${shared.firstPage}</button>` : nothing}
    ${next ? html`<button type="button" class="second small" @click=${() => void go({ [`${prefix}marker`]: next })}>${shared.nextPage}</button>` : nothing}
  </nav>`;
}
