// What is known of back-ups.
import { html } from 'lit';
import type { Content } from '../../shared/screen.ts';
import { relativeTime } from '../../shared/time.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { ServicePart } from './part.ts';

interface BackupsAnswer {
  readonly is_known: boolean;
  readonly last: { readonly made_at: string; readonly files: readonly string[] } | null;
}

export class Backups extends ServicePart {
  #backups: BackupsAnswer = { is_known: false, last: null };

  async load(signal: AbortSignal): Promise<void> {
    this.#backups = (await api.get<{ backups: BackupsAnswer }>('/v3/OS-SERVICE/backups', { signal })).backups;
  }

  content(): Content {
    const { service } = words;
    const { is_known: isKnown, last } = this.#backups;
    return html`<section class="card"><h2>${service.tabs.backups}</h2>
      ${isKnown ? html`<p>${last ? html`${service.lastBackup} ${relativeTime(last.made_at)}` : service.noBackup}</p><p>${service.backupHow}</p><pre tabindex="0">gatehouse backup backup.tar</pre>` : html`<p>${service.backupElsewhere}</p>`}
    </section>`;
  }
}
