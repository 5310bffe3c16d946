// Back-ups: the last one, those in the folder, and one made now.
import { html, nothing, type TemplateResult } from 'lit';
import { ApiError } from '../../shared/http.ts';
import { type Problem, problemMessage, problemOf } from '../../shared/problem.ts';
import type { Content } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { numberText, relativeTime, time } from '../../shared/time.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { ServicePart } from './part.ts';

interface Kept {
  readonly file: string;
  readonly made_at: string;
  readonly bytes: number;
  readonly verified: boolean;
  readonly on_schedule: boolean;
}

interface BackupsAnswer {
  readonly is_known: boolean;
  readonly last: { readonly made_at: string; readonly files: readonly string[]; readonly verified_at: string | null } | null;
  readonly failed: { readonly at: string; readonly reason: string } | null;
  readonly missing_setting: string | null;
  readonly is_running: boolean;
  readonly asked: { readonly outcome: 'running' | 'made' | 'failed'; readonly reason: string | null } | null;
  readonly kept: readonly Kept[];
}

const PATH = '/v3/OS-SERVICE/backups';
const FOLLOW_MS = 1000;
const MEBIBYTE = 1024 * 1024;

/** Ends early when the screen is left. */
const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, FOLLOW_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

export class Backups extends ServicePart {
  #backups: BackupsAnswer | undefined;
  #problem: Problem | undefined;
  #left: AbortSignal | undefined;

  async load(signal: AbortSignal): Promise<void> {
    this.#left = signal;
    this.#backups = (await api.get<{ backups: BackupsAnswer }>(PATH, { signal })).backups;
    void this.#follow(signal);
  }

  /** Until the one that is being made is there. */
  async #follow(signal: AbortSignal): Promise<void> {
    const wasRunning = this.#backups?.is_running;
    try {
      while (this.#backups?.is_running) {
        await pause(signal);
        if (signal.aborted) return;
        this.#backups = (await api.get<{ backups: BackupsAnswer }>(PATH, { signal })).backups;
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#problem = problemOf(error);
    }
    if (!wasRunning) return;
    this.update();
    if (this.#backups?.asked?.outcome === 'made') announce(words.service.backups.made);
  }

  async #make(): Promise<void> {
    this.#problem = undefined;
    try {
      this.#backups = (await api.post<{ backups: BackupsAnswer }>(PATH)).backups;
    } catch (error) {
      // Somebody else, or the schedule, has begun one.
      if (error instanceof ApiError && error.status === 409) return this.reload();
      this.#problem = problemOf(error, true);
    }
    this.update();
    void this.#follow(this.#left!);
  }

  #act({ is_running: isRunning }: BackupsAnswer): TemplateResult {
    const { backups } = words.service;
    if (isRunning) return html`<p role="status">${backups.running}</p>`;
    if (!session.may('identity:create_backup')) return html``;
    return html`<p><button type="button" @click=${() => void this.#make()}>${backups.makeNow}</button></p>`;
  }

  #schedule({ missing_setting: missing }: BackupsAnswer): Content {
    const { backups } = words.service;
    return missing === null
      ? nothing
      : html`<p class="warn">${backups.noFolder} <code>${missing}</code>. ${backups.besideData}</p>`;
  }

  #state({ last, failed, asked }: BackupsAnswer): TemplateResult {
    const { backups } = words.service;
    const verified = last?.verified_at ? html` ${backups.verifiedAt} ${relativeTime(last.verified_at)}.` : nothing;
    return html`<p>${last ? html`${backups.last} ${relativeTime(last.made_at)}.${verified}` : backups.none}</p>
      ${failed ? html`<p class="bad">${backups.failed} ${relativeTime(failed.at)}: <span lang="en">${failed.reason}</span></p>` : nothing}
      ${asked?.outcome === 'failed' && !failed ? html`<p class="bad">${backups.askedFailed}</p>` : nothing}`;
  }

  #kept({ kept }: BackupsAnswer): TemplateResult {
    const { backups } = words.service;
    return table<Kept>({
      caption: backups.kept,
      rows: kept,
      key: ({ file }) => file,
      empty: html`<p>${backups.noneKept}</p>`,
      columns: [
        { name: backups.file, isHeader: true, cell: ({ file }) => html`<code>${file}</code>` },
        { name: words.service.made, cell: ({ made_at: at }) => time(at) },
        { name: backups.size, cell: ({ bytes }) => backups.mebibytes(numberText(Math.ceil((bytes * 10) / MEBIBYTE) / 10)) },
        {
          name: backups.why,
          cell: ({ on_schedule: isScheduled }) => (isScheduled ? backups.onSchedule : backups.askedFor),
        },
        {
          name: words.service.state,
          cell: ({ verified }) => (verified ? html`<span class="badge good">${backups.verified}</span>` : nothing),
        },
      ],
    });
  }

  content(): Content {
    const { service } = words;
    const { backups } = service;
    const answer = this.#backups;
    if (!answer) return nothing;
    if (!answer.is_known)
      return html`<section class="card"><h2>${service.tabs.backups}</h2><p>${backups.elsewhere}</p>
        <p><a href="/guide/operating#backups" target="_blank" rel="noopener">${backups.guide}</a></p></section>`;
    return html`<section class="card"><h2>${service.tabs.backups}</h2>
        ${this.#state(answer)}${this.#schedule(answer)}${problemMessage(this.#problem)}${this.#act(answer)}
      </section>
      <section><h2>${backups.kept}</h2><p class="soft">${backups.keptText}</p>${this.#kept(answer)}</section>
      <section class="card"><h2>${backups.byHand}</h2><p>${backups.how}</p><pre tabindex="0">gatehouse backup backup.tar</pre></section>`;
  }
}
