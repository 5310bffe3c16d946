// Invitations: which were sent, to whom, and what became of them.
import { html, nothing } from 'lit';
import { confirmAct } from '../../shared/dialog.ts';
import { define } from '../../shared/element.ts';
import { type ListQuery, listQuery, nextMarker, pager, searchBox } from '../../shared/list.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { DONE, runEach } from '../../shared/run-each.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { Selection } from '../../shared/selection.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { relativeTime } from '../../shared/time.ts';
import { type MayWithRow, mayWithEach } from '../allowed.ts';
import { goQuery } from '../frame.ts';
import { type Links, namesOf, thingLink } from '../resources.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { invite } from './invite.ts';
import { subScreens } from './shared.ts';

const STATUSES = ['pending', 'accepted', 'expired', 'withdrawn'] as const;

interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly organization_id: string | null;
  readonly status: (typeof STATUSES)[number];
  readonly sent_at: string;
  readonly expires_at: string;
  readonly user_id: string | null;
}

const PAGE = 50;
const isOpen = ({ status }: Invitation): boolean => status === 'pending' || status === 'expired';
const BADGES = { pending: 'warn', accepted: 'good', expired: 'bad', withdrawn: '' } as const;

class Invitations extends Screen {
  #query: ListQuery = { search: undefined, sort: undefined, marker: undefined };
  #invitations: readonly Invitation[] = [];
  #next: string | undefined;
  #organizations: ReadonlyMap<string, string> = new Map();
  #may: MayWithRow<Invitation> = () => false;
  readonly #selection = new Selection<Invitation>(() => this.requestUpdate());

  heading(): string {
    return words.people.invitations;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    this.#query = listQuery(this.location);
    const { search, marker } = this.#query;
    const { invitations, links } = await api.get<{ invitations: Invitation[]; links: Links }>('/v3/OS-REGISTRATION/invitations', {
      query: { search, marker, limit: PAGE, status: this.location.query.get('status') ?? undefined },
      signal,
    });
    this.#invitations = invitations;
    this.#next = nextMarker(links.next);
    this.#selection.keep(invitations);
    [this.#organizations, this.#may] = await Promise.all([
      namesOf(
        'projects',
        invitations.flatMap((one) => one.organization_id ?? []),
        signal,
      ),
      // A list is of one domain, or of somebody who may do the same in all of them.
      mayWithEach<Invitation>({ rows: invitations, key: () => '', ids: ({ id }) => ({ invitation_id: id }) }, signal),
    ]);
  }

  protected override headingActions(): Content {
    if (!session.may('identity:create_invitation')) return nothing;
    return html`<button type="button" @click=${() => void this.#invite()}>${words.people.invite}</button>`;
  }

  async #invite(): Promise<void> {
    if (await invite()) await this.reload();
  }

  async #resend({ id, email }: Invitation): Promise<void> {
    const { people } = words;
    const done = await confirmAct({
      title: people.resend,
      text: people.resendText(email),
      action: people.resend,
      danger: false,
      run: () => api.post(`/v3/OS-REGISTRATION/invitations/${part(id)}/resend`),
    });
    if (!done) return;
    await this.reload();
    announce(people.invited(email));
  }

  async #withdraw({ id, email }: Invitation): Promise<void> {
    const { people } = words;
    const done = await confirmAct({
      title: people.withdraw,
      text: people.withdrawText(email),
      action: people.withdraw,
      run: () => api.delete(`/v3/OS-REGISTRATION/invitations/${part(id)}`),
    });
    if (!done) return;
    await this.reload();
    announce(people.withdrawn(email));
  }

  async #resendAll(invitations: readonly Invitation[]): Promise<void> {
    const { people } = words;
    const items = invitations.filter(isOpen);
    const isAgreed = await confirmAct({
      title: people.resend,
      text: people.resendText(items.map(({ email }) => email).join(', ')),
      action: people.resend,
      danger: false,
    });
    if (!isAgreed) return;
    await runEach({
      title: people.resend,
      items,
      name: ({ email }) => email,
      run: async ({ id }) => {
        await api.post(`/v3/OS-REGISTRATION/invitations/${part(id)}/resend`);
        return DONE;
      },
    });
    await this.reload();
  }

  #bar(): Content {
    if (!session.may('identity:create_invitation')) return nothing;
    const open = this.#invitations.filter(isOpen);
    if (open.length === 0) return nothing;
    return this.#selection.bar(open, [{ label: words.people.resendChosen, run: (some) => this.#resendAll(some) }]);
  }

  #actions(invitation: Invitation): Content {
    const { people } = words;
    const { status } = invitation;
    const maySend = this.#may(invitation, 'identity:create_invitation') && isOpen(invitation);
    const mayWithdraw = this.#may(invitation, 'identity:withdraw_invitation') && status === 'pending';
    return html`${maySend ? html`<button type="button" class="second small" @click=${() => void this.#resend(invitation)}>${people.resend}</button>` : nothing}
    ${mayWithdraw ? html`<button type="button" class="second small danger" @click=${() => void this.#withdraw(invitation)}>${people.withdraw}</button>` : nothing}`;
  }

  protected content(): Content {
    const { people } = words;
    const status = this.location.query.get('status') ?? '';
    return html`${subScreens('/people/invitations')}
    <div class="toolbar">${searchBox(people.whatInvitations, this.#query, goQuery)}
      <div class="field"><label for="status-filter">${people.state}</label>
        <select id="status-filter" @change=${(event: Event) => void goQuery({ status: (event.target as HTMLSelectElement).value, marker: undefined })}>
          <option value="">${people.all}</option>
          ${STATUSES.map((one) => html`<option value=${one} ?selected=${one === status}>${people.statuses[one]}</option>`)}
        </select></div>
    </div>
    ${this.#bar()}
    ${table<Invitation>({
      caption: people.invitations,
      rows: this.#invitations,
      key: ({ id }) => id,
      columns: [
        ...(session.may('identity:create_invitation') ? [this.#selection.column(({ email }) => email, isOpen)] : []),
        { name: people.email, isHeader: true, cell: ({ email }) => email },
        {
          name: people.organization,
          cell: ({ organization_id: id }) => (id === null ? '' : thingLink('projects', id, this.#organizations.get(id))),
        },
        {
          name: people.state,
          cell: ({ status: one, user_id: id }) => html`<span class="badge ${BADGES[one]}">${people.statuses[one]}</span>
            ${id === null ? nothing : html`<a href=${hrefOf(`/people/${part(id)}`)}>${people.theirAccount}</a>`}`,
        },
        { name: people.sent, cell: ({ sent_at: at }) => relativeTime(at) },
        { name: people.validUntil, cell: ({ expires_at: at }) => relativeTime(at) },
      ],
      actions: (invitation) => this.#actions(invitation),
      empty: people.noInvitations,
    })}
    ${pager(this.#query, this.#next, goQuery)}`;
  }
}

define('gh-invitations', Invitations);
