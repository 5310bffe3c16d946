// The catalog: regions, services and where they are reached.
import { html, type TemplateResult } from 'lit';
import { confirmAct, openForm } from '../../shared/dialog.ts';
import type { FormField, FormValues } from '../../shared/form.ts';
import { part } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { type Column, table } from '../../shared/table.ts';
import { shared } from '../../shared/words/index.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { ServicePart } from './part.ts';

interface Region {
  readonly id: string;
  readonly description: string;
}

interface CatalogService {
  readonly id: string;
  readonly name?: string;
  readonly type: string;
  readonly enabled: boolean;
}

interface Endpoint {
  readonly id: string;
  readonly service_id: string;
  readonly interface: string;
  readonly url: string;
  readonly region_id: string | null;
}

interface CatalogList<Row> {
  readonly title: string;
  readonly path: string;
  readonly rule: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly fields: readonly FormField[];
  readonly name: (row: Row) => string;
  /** The body of a new one. */
  readonly bodyOf: (values: FormValues) => unknown;
}

const INTERFACES = ['public', 'internal', 'admin'];

export class Catalog extends ServicePart {
  #regions: readonly Region[] = [];
  #services: readonly CatalogService[] = [];
  #endpoints: readonly Endpoint[] = [];
  #may: (rule: string) => boolean = () => false;

  async load(signal: AbortSignal): Promise<void> {
    const [{ regions }, { services }, { endpoints }] = await Promise.all([
      api.get<{ regions: Region[] }>('/v3/regions', { signal }),
      api.get<{ services: CatalogService[] }>('/v3/services', { signal }),
      api.get<{ endpoints: Endpoint[] }>('/v3/endpoints', { signal }),
    ]);
    this.#regions = regions;
    this.#services = services;
    this.#endpoints = endpoints;
    // The rules are the same for all of a kind.
    const [region, one, endpoint] = [regions[0], services[0], endpoints[0]];
    this.#may = await session.mayWith(
      {
        ...(region ? { region_id: region.id } : {}),
        ...(one ? { service_id: one.id } : {}),
        ...(endpoint ? { endpoint_id: endpoint.id } : {}),
      },
      signal,
    );
  }

  #list<Row extends { readonly id: string }>({
    title,
    path,
    rule,
    rows,
    columns,
    fields,
    name,
    bodyOf,
  }: CatalogList<Row>): TemplateResult {
    const { service } = words;
    const add = async (): Promise<void> => {
      const submit = async (values: FormValues): Promise<void> => {
        await api.post(path, bodyOf(values));
      };
      if (await openForm({ title: service.addTo(title), fields, submitLabel: service.add, submit })) await this.reload();
    };
    const remove = async (row: Row): Promise<void> => {
      const run = (): Promise<void> => api.delete(`${path}/${part(row.id)}`);
      const options = { title: service.removeFrom(name(row)), text: service.removeText, action: shared.remove };
      if (await confirmAct({ ...options, run })) await this.reload();
    };
    return html`<section>
      <div class="between"><h2>${title}</h2>${session.may(`identity:create_${rule}`) ? html`<button type="button" class="second" @click=${() => void add()}>${service.add}</button>` : ''}</div>
      ${table<Row>({
        caption: title,
        rows,
        key: ({ id }) => id,
        columns,
        actions: (row) =>
          this.#may(`identity:delete_${rule}`)
            ? html`<button type="button" class="second small danger" aria-label=${service.removeFrom(name(row))} @click=${() => void remove(row)}>${shared.remove}</button>`
            : '',
        empty: service.noneYet,
      })}
    </section>`;
  }

  content(): Content {
    const { service } = words;
    const serviceName = (id: string): string => {
      const found = this.#services.find((one) => one.id === id);
      return found?.name ?? found?.type ?? id;
    };
    const services = this.#services.map(({ id }) => ({ value: id, label: serviceName(id) }));
    const regions = [{ value: '', label: shared.none }, ...this.#regions.map(({ id }) => ({ value: id, label: id }))];
    return html`<p>${service.catalogIntro}</p>
      ${this.#list<Region>({
        title: service.regions,
        path: '/v3/regions',
        rule: 'region',
        rows: this.#regions,
        name: ({ id }) => id,
        columns: [
          { name: service.region, isHeader: true, cell: ({ id }) => id },
          { name: service.description, cell: ({ description }) => description },
        ],
        fields: [
          { name: 'id', label: service.region, required: true, maxLength: 255 },
          { name: 'description', label: service.description },
        ],
        bodyOf: (values) => ({ region: { id: values.text('id'), description: values.text('description') } }),
      })}
      ${this.#list<CatalogService>({
        title: service.services,
        path: '/v3/services',
        rule: 'service',
        rows: this.#services,
        name: ({ name, type }) => name ?? type,
        columns: [
          { name: service.name, isHeader: true, cell: ({ name, type }) => name ?? type },
          { name: service.type, cell: ({ type }) => type },
        ],
        fields: [
          { name: 'name', label: service.name, required: true, maxLength: 255 },
          { name: 'type', label: service.type, required: true, maxLength: 255, hint: service.typeHint },
        ],
        bodyOf: (values) => ({ service: { name: values.text('name'), type: values.text('type') } }),
      })}
      ${this.#list<Endpoint>({
        title: service.endpoints,
        path: '/v3/endpoints',
        rule: 'endpoint',
        rows: this.#endpoints,
        name: ({ url }) => url,
        columns: [
          { name: service.address, isHeader: true, cell: ({ url }) => url },
          { name: service.ofService, cell: ({ service_id: id }) => serviceName(id) },
          { name: service.interface, cell: (endpoint) => endpoint.interface },
          { name: service.region, cell: ({ region_id: id }) => id ?? '' },
        ],
        fields: [
          {
            name: 'service',
            attribute: 'service_id',
            label: service.ofService,
            type: 'select',
            required: true,
            options: services,
          },
          {
            name: 'interface',
            label: service.interface,
            type: 'select',
            required: true,
            options: INTERFACES.map((value) => ({ value, label: value })),
          },
          { name: 'url', label: service.address, type: 'url', required: true },
          { name: 'region', attribute: 'region_id', label: service.region, type: 'select', options: regions },
        ],
        bodyOf: (values) => ({
          endpoint: {
            service_id: values.text('service'),
            interface: values.text('interface'),
            url: values.text('url'),
            ...(values.optional('region') ? { region_id: values.text('region') } : {}),
          },
        }),
      })}`;
  }
}
