// Provisioning by SCIM: connections of Entra, Okta and others, and what to enter there.
import { html, type TemplateResult } from 'lit';
import { confirmAct, copyable, openDialog, openForm } from '../../shared/dialog.ts';
import { define } from '../../shared/element.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { settings } from '../../shared/settings.ts';
import { table } from '../../shared/table.ts';
import { relativeTime, time } from '../../shared/time.ts';
import { shared } from '../../shared/words/index.ts';
import { domainNames, findDomains } from '../resources.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';

interface Connection {
  readonly id: string;
  readonly name: string;
  readonly domain_id: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly failures: number;
}

const PATH = '/v3/OS-SCIM/connections';
const baseUrl = (): string => `${settings.issuer}/scim/v2`;

class Provisioning extends Screen {
  #connections: readonly Connection[] = [];
  #domains: ReadonlyMap<string, string> = new Map();

  heading(): string {
    return words.provisioning.title;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    const [{ connections }, domains] = await Promise.all([
      api.get<{ connections: Connection[] }>(PATH, { signal }),
      domainNames(signal),
    ]);
    this.#connections = connections;
    this.#domains = domains;
  }

  protected override headingActions(): Content {
    return html`<button type="button" @click=${() => void this.#create()}>${words.provisioning.create}</button>`;
  }

  async #create(): Promise<void> {
    const { provisioning } = words;
    let token = '';
    const made = await openForm({
      title: provisioning.create,
      text: provisioning.createText,
      fields: [
        { name: 'name', label: provisioning.name, required: true, maxLength: 255, suggestions: ['Entra', 'Okta', 'Google'] },
        {
          name: 'domain',
          label: provisioning.domain,
          type: 'pick',
          required: true,
          find: findDomains,
          hint: provisioning.domainHint,
        },
      ],
      submitLabel: shared.create,
      submit: async (values) => {
        const connection = { name: values.text('name'), domain_id: values.text('domain') };
        token = (await api.post<{ connection: { token: string } }>(PATH, { connection })).connection.token;
      },
    });
    if (!made) return;
    await openDialog<void>(
      provisioning.madeTitle,
      (close) => html`<p>${shared.secretText}</p>
      <h3>${provisioning.token}</h3>${copyable(token)}
      ${this.#values()}
      <div class="buttons"><button type="button" @click=${() => close()}>${shared.close}</button></div>`,
    );
    await this.reload();
  }

  #values(): TemplateResult {
    const { provisioning } = words;
    return html`<h3>${provisioning.address}</h3>${copyable(baseUrl())}
      <ul><li>${provisioning.entra}</li><li>${provisioning.okta}</li></ul>`;
  }

  async #remove({ id, name }: Connection): Promise<void> {
    const { provisioning } = words;
    const run = (): Promise<void> => api.delete(`${PATH}/${part(id)}`);
    const title = provisioning.removeTitle(name);
    if (await confirmAct({ title, text: provisioning.removeText, action: shared.remove, run })) await this.reload();
  }

  protected content(): Content {
    const { provisioning } = words;
    return html`<p>${provisioning.intro}</p>
    ${table<Connection>({
      caption: provisioning.title,
      rows: this.#connections,
      key: ({ id }) => id,
      columns: [
        {
          name: provisioning.name,
          isHeader: true,
          cell: ({ id, name }) => html`<a href=${hrefOf(`/provisioning/${part(id)}`)}>${name}</a>`,
        },
        { name: provisioning.domain, cell: ({ domain_id: id }) => this.#domains.get(id) ?? id },
        { name: provisioning.made, cell: ({ created_at }) => time(created_at) },
        { name: provisioning.lastUsed, cell: ({ last_used_at }) => relativeTime(last_used_at, provisioning.never) },
        {
          name: provisioning.lastDay,
          cell: ({ failures }) =>
            failures > 0
              ? html`<span class="badge bad">${provisioning.refusedCount(failures)}</span>`
              : html`<span class="badge good">${provisioning.noneRefused}</span>`,
        },
      ],
      actions: (connection) =>
        html`<button type="button" class="second small danger" aria-label=${provisioning.removeTitle(connection.name)} @click=${() => void this.#remove(connection)}>${shared.remove}</button>`,
      empty: provisioning.empty,
    })}
    <section class="card"><h2>${provisioning.valuesTitle}</h2>${this.#values()}</section>`;
  }
}

define('gh-provisioning', Provisioning);
