// The keys that sign and encrypt tokens, and sign credentials and requests to wallets: their age, and new ones. Below them the certificates.
import { html, type TemplateResult } from 'lit';
import { confirmAct } from '../../shared/dialog.ts';
import type { Content } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { relativeTime } from '../../shared/time.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { type Certificates, certificateList } from './certificates.ts';
import { ServicePart } from './part.ts';

interface Key {
  readonly id: string;
  readonly algorithm: string;
  readonly active_from: string;
  readonly state: 'announced' | 'current' | 'previous';
}

interface KeySet {
  readonly kind: 'token' | 'openid' | 'issuer' | 'verifier';
  readonly rotates_at: string | null;
  readonly keys: readonly Key[];
}

export class Keys extends ServicePart {
  #sets: readonly KeySet[] = [];
  #certificates: Certificates = { certificates: [], truncated: false };
  #mayRotate = false;

  async load(signal: AbortSignal): Promise<void> {
    const [{ key_sets: sets }, certificates, may] = await Promise.all([
      api.get<{ key_sets: KeySet[] }>('/v3/OS-SERVICE/keys', { signal }),
      api.get<Certificates>('/v3/OS-SERVICE/certificates', { signal }),
      session.mayWith({ kind: 'token' }, signal),
    ]);
    this.#sets = sets;
    this.#certificates = certificates;
    this.#mayRotate = may('identity:rotate_service_keys');
  }

  async #rotate(kind: KeySet['kind']): Promise<void> {
    const { service } = words;
    const done = await confirmAct({
      title: service.rotateTitle(service.keySets[kind]),
      text: service.rotateText[kind],
      action: service.rotate,
      danger: false,
      run: async () => {
        await api.post(`/v3/OS-SERVICE/keys/${kind}/rotate`);
      },
    });
    if (!done) return;
    await this.reload();
    announce(service.rotated);
  }

  #set({ kind, rotates_at: rotatesAt, keys }: KeySet): TemplateResult {
    const { service } = words;
    return html`<section>
      <div class="between"><h2>${service.keySets[kind]}</h2>
        ${this.#mayRotate ? html`<button type="button" class="second" @click=${() => void this.#rotate(kind)}>${service.rotate}</button>` : ''}</div>
      <p class="soft">${rotatesAt ? html`${service.rotatesAt} ${relativeTime(rotatesAt)}` : service.rotatesNever}</p>
      ${table<Key>({
        caption: service.keySets[kind],
        rows: keys,
        key: ({ id }) => id,
        columns: [
          { name: service.key, isHeader: true, cell: ({ id }) => html`<code>${id}</code>` },
          { name: service.algorithm, cell: ({ algorithm }) => (algorithm === 'cookie' ? service.forCookies : algorithm) },
          { name: service.since, cell: ({ active_from }) => relativeTime(active_from) },
          {
            name: service.state,
            cell: ({ state }) => html`<span class="badge ${state === 'current' ? 'good' : ''}">${service.states[state]}</span>`,
          },
        ],
        empty: service.noKeys,
      })}
    </section>`;
  }

  content(): Content {
    return html`${this.#sets.map((set) => this.#set(set))}${certificateList(this.#certificates)}`;
  }
}
