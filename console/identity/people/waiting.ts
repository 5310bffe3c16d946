// Who registered and waits until an administrator decides.
import { html, nothing } from 'lit';
import { confirmAct, openForm } from '../../shared/dialog.ts';
import { define } from '../../shared/element.ts';
import { type ListQuery, listQuery, nextMarker, pager } from '../../shared/list.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { DONE, runEach } from '../../shared/run-each.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { Selection } from '../../shared/selection.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { relativeTime } from '../../shared/time.ts';
import { type MayWithRow, mayWithEach } from '../allowed.ts';
import { goQuery } from '../frame.ts';
import { domainNames, type Links } from '../resources.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { subScreens, WAITING } from './shared.ts';

interface WaitingPerson {
  readonly user_id: string;
  readonly user_name: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly domain_id: string;
  readonly waits_since: string;
}
type Row = WaitingPerson & { readonly id: string };

const PAGE = 50;

class Waiting extends Screen {
  #query: ListQuery = { search: undefined, sort: undefined, marker: undefined };
  #rows: readonly Row[] = [];
  #next: string | undefined;
  #domains: ReadonlyMap<string, string> = new Map();
  #may: MayWithRow<Row> = () => false;
  readonly #selection = new Selection<Row>(() => this.requestUpdate());

  heading(): string {
    return words.people.waiting.title;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    this.#query = listQuery(this.location);
    const query = { marker: this.#query.marker, limit: PAGE };
    const { waiting, links } = await api.get<{ waiting: WaitingPerson[]; links: Links }>(WAITING, { query, signal });
    this.#rows = waiting.map((one) => ({ ...one, id: one.user_id }));
    this.#next = nextMarker(links.next);
    this.#selection.keep(this.#rows);
    [this.#domains, this.#may] = await Promise.all([
      domainNames(signal),
      // Whoever waits has no rights yet: what may be done with them depends on their domain.
      mayWithEach<Row>({ rows: this.#rows, key: ({ domain_id: id }) => id, ids: ({ id }) => ({ user_id: id }) }, signal),
    ]);
  }

  async #approve({ id, user_name: name }: Row): Promise<void> {
    const { waiting } = words.people;
    const done = await confirmAct({
      title: waiting.approveTitle(name),
      text: waiting.approveText,
      action: waiting.approve,
      danger: false,
      run: () => api.post(`${WAITING}/${part(id)}/approve`),
    });
    if (!done) return;
    await this.reload();
    announce(waiting.approved(name));
  }

  async #approveAll(rows: readonly Row[]): Promise<void> {
    const { waiting } = words.people;
    const isAgreed = await confirmAct({
      title: waiting.approveChosen,
      text: waiting.approveAllText(rows.map(({ user_name }) => user_name).join(', ')),
      action: waiting.approve,
      danger: false,
    });
    if (!isAgreed) return;
    await runEach({
      title: waiting.approveChosen,
      items: rows,
      name: ({ user_name }) => user_name,
      run: async ({ id }) => {
        await api.post(`${WAITING}/${part(id)}/approve`);
        return DONE;
      },
    });
    await this.reload();
  }

  async #refuse({ id, user_name: name }: Row): Promise<void> {
    const { waiting } = words.people;
    const done = await openForm({
      title: waiting.refuseTitle(name),
      text: waiting.refuseText,
      submitLabel: waiting.refuse,
      fields: [{ name: 'reason', label: waiting.reason, hint: waiting.reasonHint, maxLength: 500 }],
      submit: (values) => api.post(`${WAITING}/${part(id)}/refuse`, { refusal: { reason: values.text('reason') } }),
    });
    if (!done) return;
    await this.reload();
    announce(waiting.refused(name));
  }

  #actions(row: Row): Content {
    const { waiting } = words.people;
    return html`${this.#may(row, 'identity:approve_registration') ? html`<button type="button" class="second small" @click=${() => void this.#approve(row)}>${waiting.approve}</button>` : nothing}
    ${this.#may(row, 'identity:refuse_registration') ? html`<button type="button" class="second small danger" @click=${() => void this.#refuse(row)}>${waiting.refuse}</button>` : nothing}`;
  }

  protected content(): Content {
    const { people } = words;
    const { waiting } = people;
    const isOffered = (row: Row): boolean => this.#may(row, 'identity:approve_registration');
    const open = this.#rows.filter(isOffered);
    return html`${subScreens('/people/waiting')}<p>${waiting.text}</p>
    ${open.length > 0 ? this.#selection.bar(open, [{ label: waiting.approveChosen, run: (some) => this.#approveAll(some) }]) : nothing}
    ${table<Row>({
      caption: waiting.title,
      rows: this.#rows,
      key: ({ id }) => id,
      columns: [
        ...(open.length > 0 ? [this.#selection.column(({ user_name }) => user_name, isOffered)] : []),
        {
          name: people.name,
          isHeader: true,
          cell: ({ id, user_name: name }) => html`<a href=${hrefOf(`/people/${part(id)}`)}>${name}</a>`,
        },
        { name: waiting.ownName, cell: ({ name }) => name ?? '' },
        { name: people.email, cell: ({ email }) => email ?? '' },
        ...(this.#domains.size > 1
          ? [{ name: people.domain, cell: ({ domain_id: id }: Row) => this.#domains.get(id) ?? id }]
          : []),
        { name: waiting.since, cell: ({ waits_since: at }) => relativeTime(at) },
      ],
      actions: (row) => this.#actions(row),
      empty: waiting.nobody,
    })}
    ${pager(this.#query, this.#next, goQuery)}`;
  }
}

define('gh-waiting', Waiting);
