// The page of the API: operations by tag, with a search, and what the address names: `#createUser` or `#schemas/User`.
import { html, nothing, type TemplateResult } from 'lit';
import { define, PageElement } from '../shared/element.ts';
import { announce } from '../shared/status.ts';
import { type ApiDocument, type Entry, entriesOf, search } from './document.ts';
import { exampleText, methodBadge, operationView } from './operation-view.ts';
import { prose } from './prose.ts';
import { schemaView } from './schema-view.ts';
import { words } from './words/index.ts';

export class ApiViewer extends PageElement {
  api!: ApiDocument;
  #entries: readonly Entry[] = [];
  #wanted = '';

  override connectedCallback(): void {
    super.connectedCallback();
    this.#entries = entriesOf(this.api);
    window.addEventListener('hashchange', this.#show);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('hashchange', this.#show);
  }

  /** Screen readers and the keyboard continue at what was opened. */
  #show = (): void => {
    this.requestUpdate();
    void this.updateComplete.then(() => {
      this.querySelector<HTMLElement>('main h2')?.focus();
      window.scrollTo({ top: 0 });
    });
  };

  #copy = (text: string): void => {
    void navigator.clipboard.writeText(text).then(() => announce(words.copied));
  };

  #group({ name, description }: { readonly name: string; readonly description: string }, found: readonly Entry[]) {
    const own = found.filter(({ operation }) => operation.tags.includes(name));
    if (own.length === 0) return nothing;
    return html`<details ?open=${this.#wanted !== '' || own.some(({ operation }) => operation.operationId === this.#current)}>
      <summary title=${description}>${name} <span class="soft">${own.length}</span></summary>
      <ul class="plain-list">${own.map(
        ({ method, operation }) =>
          html`<li><a href=${`#${operation.operationId}`} aria-current=${operation.operationId === this.#current ? 'page' : 'false'}>${methodBadge(method)} <span>${operation.summary}</span></a></li>`,
      )}</ul>
    </details>`;
  }

  get #current(): string {
    return decodeURIComponent(window.location.hash.slice(1));
  }

  #menu(): TemplateResult {
    const found = search(this.#entries, this.#wanted);
    const onSearch = (event: Event): void => {
      this.#wanted = (event.target as HTMLInputElement).value;
      this.requestUpdate();
    };
    return html`<label class="hidden" for="search">${words.search}</label>
      <input id="search" type="search" placeholder=${words.search} .value=${this.#wanted} @input=${onSearch} />
      <p class="soft" role="status">${found.length === 0 ? words.none : words.count(found.length, this.#entries.length)}</p>
      ${this.api.tags.map((tag) => this.#group(tag, found))}`;
  }

  #overview(): TemplateResult {
    const { info, tags, components } = this.api;
    return html`<h2 tabindex="-1">${words.operations}</h2>
      ${prose(info.description)}
      <p><a href="/openapi.json">${words.document}</a></p>
      <dl class="facts">${tags.map(({ name, description }) => html`<dt>${name}</dt><dd>${prose(description)}</dd>`)}</dl>
      <h2>${words.schemas}</h2>
      <ul class="names">${Object.keys(components.schemas).map((name) => html`<li><a href=${`#schemas/${name}`}>${name}</a></li>`)}</ul>`;
  }

  #schema(name: string): TemplateResult {
    const schema = Object.hasOwn(this.api.components.schemas, name) ? this.api.components.schemas[name] : undefined;
    if (!schema) return html`<h2 tabindex="-1">${words.unknown}</h2>`;
    return html`<h2 tabindex="-1">${name}</h2>${prose(schema.description)}${schemaView(schema, this.api)}
      <details><summary>JSON Schema</summary><pre tabindex="0"><code>${exampleText(schema)}</code></pre></details>`;
  }

  #content(): TemplateResult {
    const current = this.#current;
    if (current === '') return this.#overview();
    if (current.startsWith('schemas/')) return this.#schema(current.slice('schemas/'.length));
    const entry = this.#entries.find(({ operation }) => operation.operationId === current);
    return entry ? operationView(entry, this.api, this.#copy) : html`<h2 tabindex="-1">${words.unknown}</h2>`;
  }

  protected override render(): TemplateResult {
    const { info } = this.api;
    return html`<header class="api-top"><h1><a href="#">${info.title}</a></h1><span class="soft">${words.version(info.version)}</span></header>
      <div class="api-columns">
        <nav aria-label=${words.operations}>${this.#menu()}</nav>
        <main id="content">${this.#content()}</main>
      </div>
      <div id="status" role="status" aria-live="polite"></div>`;
  }
}

define('gh-api-viewer', ApiViewer);
