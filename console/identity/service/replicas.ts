// The processes of the service: where they run, which version, and how far each is behind the changes of the others.
import { html, nothing, type TemplateResult } from 'lit';
import type { Content } from '../../shared/screen.ts';
import { table } from '../../shared/table.ts';
import { numberText, relativeTime } from '../../shared/time.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { ServicePart } from './part.ts';

interface Replica {
  readonly id: string;
  readonly host: string;
  readonly worker: number | null;
  readonly version: string;
  readonly started_at: string;
  readonly last_seen_at: string;
  readonly state: 'running' | 'silent';
  readonly lag_ms: number;
  readonly answers_from_memory: boolean;
  readonly is_this: boolean;
}

/** One that is behind for too long reads everything from the database. */
function stateOf({ state, answers_from_memory: isLive }: Replica): TemplateResult {
  const { replicas } = words.service;
  if (state === 'silent') return html`<span class="badge bad">${replicas.silent}</span>`;
  if (!isLive) return html`<span class="badge warn">${replicas.behind}</span>`;
  return html`<span class="badge good">${replicas.running}</span>`;
}

export class Replicas extends ServicePart {
  #replicas: readonly Replica[] = [];

  async load(signal: AbortSignal): Promise<void> {
    this.#replicas = (await api.get<{ replicas: Replica[] }>('/v3/OS-SERVICE/replicas', { signal })).replicas;
  }

  #warnings(): Content {
    const { replicas } = words.service;
    const running = this.#replicas.filter(({ state }) => state === 'running');
    const versions = [...new Set(running.map(({ version }) => version))].sort();
    const warnings = [
      ...(versions.length > 1 ? [replicas.versionsDiffer(versions.join(', '))] : []),
      ...(running.length < this.#replicas.length ? [replicas.silentText] : []),
      ...(running.some((one) => !one.answers_from_memory) ? [replicas.behindText] : []),
    ];
    return warnings.map((text) => html`<p class="warn">${text}</p>`);
  }

  content(): Content {
    const { service } = words;
    const { replicas } = service;
    return html`<p>${replicas.intro}</p>
      <p><button type="button" class="second" @click=${() => void this.reload()}>${words.provisioning.refresh}</button></p>
      ${this.#warnings()}
      ${table<Replica>({
        caption: service.tabs.replicas,
        rows: this.#replicas,
        key: ({ id }) => id,
        columns: [
          {
            name: replicas.process,
            isHeader: true,
            cell: ({ host, worker, is_this: isThis }) =>
              html`${host}${worker === null ? nothing : html` · ${replicas.worker(worker)}`}${isThis ? html` <span class="badge">${replicas.thisOne}</span>` : nothing}`,
          },
          { name: replicas.version, cell: ({ version }) => version },
          { name: replicas.started, cell: ({ started_at: at }) => relativeTime(at) },
          { name: replicas.seen, cell: ({ last_seen_at: at }) => relativeTime(at) },
          {
            name: replicas.lag,
            cell: ({ state, lag_ms: lag }) => (state === 'silent' ? '–' : replicas.milliseconds(numberText(lag))),
          },
          { name: service.state, cell: stateOf },
        ],
      })}`;
  }
}
