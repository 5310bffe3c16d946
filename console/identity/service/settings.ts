// The settings in effect, and where each comes from.
import { html, nothing } from 'lit';
import { listQuery, searchBox } from '../../shared/list.ts';
import type { Content } from '../../shared/screen.ts';
import { table } from '../../shared/table.ts';
import { goQuery } from '../frame.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { ServicePart } from './part.ts';

interface Setting {
  readonly key: string;
  readonly value: string | null;
  readonly source: 'environment' | 'file' | 'default';
  readonly unit: string;
  readonly about: string;
}

export class Settings extends ServicePart {
  #settings: readonly Setting[] = [];

  async load(signal: AbortSignal): Promise<void> {
    this.#settings = (await api.get<{ settings: Setting[] }>('/v3/OS-SERVICE/settings', { signal })).settings;
  }

  content(): Content {
    const { service } = words;
    const query = listQuery(this.location);
    const wanted = (query.search ?? '').toLowerCase();
    const rows = this.#settings.filter(({ key, about }) => `${key} ${about}`.toLowerCase().includes(wanted));
    return html`<p>${service.settingsIntro} <a href="/openapi">${service.api}</a></p>
      ${searchBox(service.settingsWhat, query, goQuery)}
      ${table<Setting>({
        caption: service.tabs.settings,
        rows,
        key: ({ key }) => key,
        columns: [
          {
            name: service.setting,
            isHeader: true,
            cell: ({ key, about }) => html`<code>${key}</code><br /><span class="soft" lang="en">${about}</span>`,
          },
          {
            name: service.value,
            cell: ({ value, unit }) =>
              value === null || value === ''
                ? service.notSet
                : // What the value itself does not say: of how much it is.
                  html`<code>${value}</code> ${/^\d+$/.test(value) ? html`<span class="soft" lang="en">${unit}</span>` : nothing}`,
          },
          {
            name: service.source,
            cell: ({ source }) =>
              html`<span class="badge ${source === 'default' ? '' : 'good'}">${service.sources[source]}</span>`,
          },
        ],
        empty: service.noSetting,
      })}`;
  }
}
