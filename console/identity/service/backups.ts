// What is known of back-ups.
import { html } from 'lit';
import type { Content } from '../../shared/screen.ts';
import { relativeTime } from '../../shared/time.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { ServicePart } from './part.ts';

interface BackupsAnswer {
  readonly is_known: boolean;
  readonly last: { readonly made_at: string; readonly files: readonly string[]; readonly verified_at: string | null } | null;
  readonly failed: { readonly at: string; readonly reason: string } | null;
}

export class Backups extends ServicePart {
  #backups: BackupsAnswer = { is_known: false, last: null, failed: null };

  async load(signal: AbortSignal): Promise<void> {
    this.#backups = (await api.get<{ backups: BackupsAnswer }>('/v3/OS-SERVICE/backups', { signal })).backups;
  }

  content(): Content {
    const { service } = words;
    const { is_known: isKnown, last, failed } = this.#backups;
    const verified = last?.verified_at ? html` ${service.backupVerified} ${relativeTime(last.verified_at)}.` : '';
    const failure = failed
      ? html`<p class="warning">${service.backupFailed} ${relativeTime(failed.at)}: ${failed.reason}</p>`
      : '';
    return html`<section class="card"><h2>${service.tabs.backups}</h2>
      ${isKnown ? html`<p>${last ? html`${service.lastBackup} ${relativeTime(last.made_at)}.${verified}` : service.noBackup}</p>${failure}<p>${service.backupHow}</p><pre tabindex="0">gatehouse backup backup.tar</pre>` : html`<p>${service.backupElsewhere}</p>`}
    </section>`;
  }
}
