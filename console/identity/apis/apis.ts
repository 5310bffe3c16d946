// The APIs for which applications get tokens.
import { html, nothing } from 'lit';
import { openForm } from '../../shared/dialog.ts';
import { define } from '../../shared/element.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { shared } from '../../shared/words/index.ts';
import { go } from '../frame.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { apiFields, apiIn } from './api-form.ts';
import { APIS, type RegisteredApi } from './types.ts';

class Apis extends Screen {
  #apis: readonly RegisteredApi[] = [];

  heading(): string {
    return words.apis.title;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    const { apis } = await api.get<{ apis: readonly RegisteredApi[] }>(APIS, { signal });
    this.#apis = apis.toSorted((one, other) => one.name.localeCompare(other.name));
  }

  protected override headingActions(): Content {
    if (!session.may('identity:create_api')) return nothing;
    return html`<button type="button" @click=${() => void this.#create()}>${words.apis.create}</button>`;
  }

  async #create(): Promise<void> {
    const { apis } = words;
    let created: RegisteredApi | undefined;
    const done = await openForm({
      title: apis.create,
      text: apis.createText,
      submitLabel: shared.create,
      fields: await apiFields(),
      submit: async (values) => {
        const body = { api: { identifier: values.text('identifier'), ...apiIn(values) } };
        created = (await api.post<{ api: RegisteredApi }>(APIS, body)).api;
      },
    });
    if (!done || !created) return;
    announce(apis.created(created.name));
    await go(`/apis/${part(created.id)}`);
  }

  protected content(): Content {
    const { apis } = words;
    return html`<p>${apis.intro}</p>
    ${table<RegisteredApi>({
      caption: apis.title,
      rows: this.#apis,
      key: ({ id }) => id,
      columns: [
        { name: apis.name, isHeader: true, cell: ({ id, name }) => html`<a href=${hrefOf(`/apis/${part(id)}`)}>${name}</a>` },
        { name: apis.identifier, cell: ({ identifier }) => html`<code>${identifier}</code>` },
        { name: apis.scopes, cell: ({ scopes }) => scopes.map(({ name }) => name).join(', ') },
        { name: apis.tokenFormat, cell: ({ token_format: format }) => apis.tokenFormats[format] },
      ],
      empty: apis.empty,
    })}`;
  }
}

define('gh-apis', Apis);
