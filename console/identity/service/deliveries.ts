// Messages that wait to be sent or were given up: web hooks and mails, or mails only.
import { html, nothing, type TemplateResult } from 'lit';
import { confirmAct } from '../../shared/dialog.ts';
import { listQuery, nextMarker, pager, searchBox } from '../../shared/list.ts';
import { type Problem, problemMessage, problemOf } from '../../shared/problem.ts';
import { part } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { relativeTime, time } from '../../shared/time.ts';
import { shared } from '../../shared/words/index.ts';
import { type MayWithRow, mayWithEach } from '../allowed.ts';
import { goQuery } from '../frame.ts';
import type { Links } from '../resources.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { nameOfMail } from './mail-text.ts';
import { ServicePart } from './part.ts';

interface Delivery {
  readonly id: string;
  readonly kind: 'web_hook' | 'mail';
  readonly subject: string;
  readonly recipient: string | null;
  readonly state: 'waiting' | 'retrying' | 'failed';
  readonly attempts: number;
  readonly last_error: string | null;
  readonly created_at: string;
  readonly next_attempt_at: string | null;
}

const PATH = '/v3/OS-SERVICE/deliveries';
const KINDS = ['web_hook', 'mail'] as const;
const STATES = ['waiting', 'failed'] as const;
const BADGES = { waiting: '', retrying: 'warn', failed: 'bad' } as const;

export class Deliveries extends ServicePart {
  /** The only kind that is shown. */
  protected readonly kind: Delivery['kind'] | undefined = undefined;
  #deliveries: readonly Delivery[] = [];
  #next: string | undefined;
  #problem: Problem | undefined;
  #may: MayWithRow<Delivery> = () => false;

  async load(signal: AbortSignal): Promise<void> {
    const { marker, search: recipient } = listQuery(this.location);
    const { kind, state } = this.#filters;
    const query = { limit: 50, marker, recipient, kind, state };
    const { deliveries, links } = await api.get<{ deliveries: Delivery[]; links: Links }>(PATH, { query, signal });
    this.#deliveries = deliveries;
    this.#next = nextMarker(links.next);
    // The rules are the same for all of them.
    this.#may = await mayWithEach({ rows: deliveries, key: () => '', ids: ({ id }) => ({ delivery_id: id }) }, signal);
  }

  get #filters() {
    const { query } = this.location;
    return { kind: this.kind ?? query.get('kind') ?? undefined, state: query.get('state') ?? undefined };
  }

  #filter(name: 'kind' | 'state', label: string, options: readonly (readonly [value: string, text: string])[]): TemplateResult {
    const chosen = this.#filters[name] ?? '';
    return html`<div class="field"><label for="filter-${name}">${label}</label>
      <select id="filter-${name}" @change=${(event: Event) => void goQuery({ [name]: (event.target as HTMLSelectElement).value || undefined, marker: undefined })}>
        <option value="">${words.people.all}</option>
        ${options.map(([value, text]) => html`<option value=${value} ?selected=${value === chosen}>${text}</option>`)}
      </select></div>`;
  }

  #toolbar(): TemplateResult {
    const { service } = words;
    const kinds = KINDS.map((kind) => [kind, service.messageKinds[kind]] as const);
    const states = STATES.map((state) => [state, service.messageStates[state]] as const);
    return html`<div class="toolbar">${searchBox(service.whatRecipients, listQuery(this.location), goQuery)}
      ${this.kind ? nothing : this.#filter('kind', service.message, kinds)}${this.#filter('state', service.state, states)}</div>`;
  }

  async #retry({ id }: Delivery): Promise<void> {
    this.#problem = undefined;
    try {
      await api.post(`${PATH}/${part(id)}/retry`);
      announce(words.service.retried);
    } catch (error) {
      this.#problem = problemOf(error, true);
    }
    await this.reload();
  }

  async #remove({ id, subject }: Delivery): Promise<void> {
    const { service } = words;
    const run = (): Promise<void> => api.delete(`${PATH}/${part(id)}`);
    const done = await confirmAct({ title: service.dropTitle(subject), text: service.dropText, action: shared.remove, run });
    if (done) await this.reload();
  }

  content(): Content {
    const { service } = words;
    const isFiltered = ['kind', 'state', 'search'].some((name) => this.location.query.get(name));
    return html`<p>${this.kind ? words.mail.queueIntro : service.deliveriesIntro}</p>${problemMessage(this.#problem)}${this.#toolbar()}
      ${table<Delivery>({
        caption: this.kind ? words.mail.queue : service.tabs.deliveries,
        rows: this.#deliveries,
        key: ({ id }) => id,
        columns: [
          {
            name: service.message,
            isHeader: true,
            cell: ({ kind, subject }) =>
              kind === 'mail' ? nameOfMail(subject) : html`${service.messageKinds[kind]}: <code>${subject}</code>`,
          },
          { name: service.recipient, cell: ({ recipient }) => recipient ?? '' },
          {
            name: service.state,
            cell: ({ state }) => html`<span class="badge ${BADGES[state]}">${service.messageStates[state]}</span>`,
          },
          { name: service.made, cell: ({ created_at }) => time(created_at) },
          {
            name: service.attempts,
            cell: ({ attempts, next_attempt_at: next }) =>
              html`${attempts}${next ? html`, ${service.nextAttempt} ${relativeTime(next)}` : ''}`,
          },
          { name: service.lastError, cell: ({ last_error }) => last_error ?? '' },
        ],
        actions: (delivery) => [
          this.#may(delivery, 'identity:retry_delivery')
            ? html`<button type="button" class="second small" aria-label=${service.retryOne(delivery.subject)} @click=${() => void this.#retry(delivery)}>${service.retry}</button>`
            : nothing,
          this.#may(delivery, 'identity:delete_delivery')
            ? html`<button type="button" class="second small danger" aria-label=${service.dropTitle(delivery.subject)} @click=${() => void this.#remove(delivery)}>${shared.remove}</button>`
            : nothing,
        ],
        empty: isFiltered ? service.noSuchDelivery : service.noDeliveries,
      })}
      ${pager(listQuery(this.location), this.#next, goQuery)}`;
  }
}

export class MailQueue extends Deliveries {
  protected override readonly kind = 'mail';
}
