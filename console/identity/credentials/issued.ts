// What was issued to wallets, as a list: of an application, of a person, or of everybody. One line for what a wallet got of a type.
import { html, nothing, type TemplateResult } from 'lit';
import { confirmAct } from '../../shared/dialog.ts';
import { formField } from '../../shared/form.ts';
import { listQuery, nextMarker, pager } from '../../shared/list.ts';
import { type Location, part } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { type Column, table } from '../../shared/table.ts';
import { relativeTime } from '../../shared/time.ts';
import { type MayWithRow, mayWithEach } from '../allowed.ts';
import { goQuery } from '../frame.ts';
import { findPeople, type Links, namesOf, namesOfApplications, thingLink } from '../resources.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { type CredentialType, ISSUED, type IssuedCredential, TYPES } from './types.ts';

const PAGE = 50;
const STATES = ['valid', 'suspended', 'revoked'] as const;
/** The API has no more types at once. */
const MOST_TYPES = 1000;

export interface IssuedContent {
  readonly rows: readonly IssuedCredential[];
  readonly next: string | undefined;
  readonly location: Location;
  readonly people: ReadonlyMap<string, string>;
  /** Empty if it is not shown of which application they are. */
  readonly applications: ReadonlyMap<string, string>;
  readonly types: ReadonlyMap<string, string>;
  readonly may: MayWithRow<IssuedCredential>;
  /** What the list is limited to, beside the filters of the address. */
  readonly within: { readonly user_id?: string; readonly application_id?: string };
}

/** Of those that the person manages. Others are named by their ids. */
async function typeNames(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const { credential_types: all } = await api.get<{ credential_types: CredentialType[] }>(TYPES, {
    query: { limit: MOST_TYPES },
    signal,
  });
  return new Map(all.map(({ id, name }) => [id, name]));
}

export async function readIssued(
  within: IssuedContent['within'],
  location: Location,
  signal: AbortSignal,
  knownTypes?: readonly CredentialType[],
): Promise<IssuedContent> {
  const { query } = location;
  const person = query.get('person') ?? undefined;
  const { credentials: rows, links } = await api.get<{ credentials: IssuedCredential[]; links: Links }>(ISSUED, {
    query: {
      user_id: person,
      ...within,
      state: query.get('state') ?? undefined,
      newest: true,
      sort: '-issued_at',
      limit: PAGE,
      marker: listQuery(location).marker,
    },
    signal,
  });
  const ids = [...rows.map(({ user_id }) => user_id), ...(person ? [person] : [])];
  const [people, applications, types, may] = await Promise.all([
    within.user_id ? new Map<string, string>() : namesOf('users', ids, signal),
    within.application_id
      ? new Map<string, string>()
      : namesOfApplications(
          rows.map(({ application_id }) => application_id),
          signal,
        ),
    knownTypes ? new Map(knownTypes.map(({ id, name }) => [id, name])) : typeNames(signal),
    mayWithEach<IssuedCredential>(
      {
        rows,
        key: ({ application_id, user_id }) => `${application_id} ${user_id === session.person.id}`,
        ids: ({ id }) => ({ credential_id: id }),
      },
      signal,
    ),
  ]);
  return { rows, next: nextMarker(links.next), location, people, applications, types, may, within };
}

type State = keyof typeof words.credentials.states;
const stateOf = ({ state, expires_at }: IssuedCredential): State =>
  state !== 'revoked' && Date.parse(expires_at) <= Date.now() ? 'expired' : state;
const BADGES: Readonly<Record<State, string>> = { valid: 'good', suspended: 'warn', revoked: 'bad', expired: '' };

function stateCell(one: IssuedCredential): Content {
  const { states, reasons } = words.credentials;
  const state = stateOf(one);
  const why =
    one.reason === null || state === 'expired' ? undefined : (reasons[one.reason as keyof typeof reasons] ?? one.reason);
  return html`<span class="badge ${BADGES[state]}">${states[state]}</span>${why === undefined ? nothing : html`<br /><span class="soft whole-words">${why}, ${relativeTime(one.changed_at)}</span>`}`;
}

const rolesOf = ({ roles }: IssuedCredential): string => [...new Set(roles.flatMap(({ names }) => names))].join(', ');

function columnsOf({ within, people, applications, types }: IssuedContent): Column<IssuedCredential>[] {
  const { credentials } = words;
  const person: Column<IssuedCredential> = {
    name: credentials.person,
    isHeader: true,
    cell: ({ user_id: id }) => thingLink('users', id, people.get(id)),
  };
  const applicationOf = ({ application_id: id }: IssuedCredential): Content =>
    within.application_id ? nothing : html`${thingLink('applications', id, applications.get(id))}: `;
  const type: Column<IssuedCredential> = {
    name: credentials.type,
    isHeader: within.user_id !== undefined,
    cell: (one) => html`${types.get(one.type_id) ?? html`<code>${one.type_id}</code>`}<br />
      <span class="soft">${applicationOf(one)}${rolesOf(one)}</span>`,
  };
  return [
    ...(within.user_id ? [] : [person]),
    type,
    { name: credentials.issuedAt, cell: ({ first_issued_at: at }) => relativeTime(at) },
    { name: credentials.refreshedAt, cell: ({ refreshed_at: at }) => relativeTime(at, credentials.never) },
    { name: credentials.validUntil, cell: ({ expires_at: at }) => relativeTime(at) },
    { name: credentials.state, cell: stateCell },
  ];
}

const ACTS = {
  revoke: { rule: 'revoke_issued_credential', done: 'revoked', danger: true },
  suspend: { rule: 'update_issued_credential', done: 'suspended', danger: true },
  resume: { rule: 'update_issued_credential', done: 'resumed', danger: false },
} as const;
type Act = keyof typeof ACTS;

/** Everything that the wallet got of the type, not one copy of several. */
async function run(act: Act, { id }: IssuedCredential): Promise<void> {
  const [path, options] = [`${ISSUED}/${part(id)}`, { query: { same_wallet: true } }];
  if (act === 'revoke') await api.delete(path, options);
  else await api.patch(path, { credential: { state: act === 'suspend' ? 'suspended' : 'valid' } }, options);
}

function actionsOf(content: IssuedContent, reload: () => Promise<void>) {
  const { credentials } = words;
  return (one: IssuedCredential): Content => {
    const type = content.types.get(one.type_id) ?? one.type_id;
    const who = content.people.get(one.user_id) ?? one.user_id;
    const state = stateOf(one);
    const begin = async (act: Act): Promise<void> => {
      const { done, danger } = ACTS[act];
      const isDone = await confirmAct({
        title: credentials[`${act}Title`](type, who),
        text: credentials[`${act}Text`],
        action: credentials[act],
        danger,
        run: () => run(act, one),
      });
      if (!isDone) return;
      await reload();
      announce(credentials[done]);
    };
    const button = (act: Act): Content =>
      content.may(one, ACTS[act].rule)
        ? html`<button type="button" class="second small ${ACTS[act].danger ? 'danger' : ''}" aria-label=${credentials[`${act}Title`](type, who)} @click=${() => void begin(act)}>${credentials[act]}</button>`
        : nothing;
    if (state === 'valid') return html`${button('suspend')} ${button('revoke')}`;
    return state === 'suspended' ? html`${button('resume')} ${button('revoke')}` : nothing;
  };
}

/** Whoever may not list people knows the id at most. */
function personFilter({ location, people, within }: IssuedContent): Content {
  const { credentials } = words;
  if (within.user_id) return nothing;
  const person = location.query.get('person') ?? '';
  const choose = (id: string): void => void goQuery({ person: id === '' ? undefined : id, marker: undefined });
  if (session.may('identity:list_users')) {
    const chosen = person === '' ? undefined : { value: person, label: people.get(person) ?? person };
    return formField(
      { name: 'person', label: credentials.person, type: 'pick', required: true, find: findPeople, chosen, onChange: choose },
      'issued',
    );
  }
  return html`<div class="field"><label for="issued-person">${credentials.personId}</label>
    <input id="issued-person" type="search" .value=${person} autocomplete="off" spellcheck="false"
      @change=${(event: Event) => choose((event.target as HTMLInputElement).value.trim())} /></div>`;
}

function filters(content: IssuedContent): TemplateResult {
  const { credentials } = words;
  const chosen = content.location.query.get('state') ?? '';
  return html`<div class="toolbar"><div class="field"><label for="issued-state">${credentials.state}</label>
      <select id="issued-state" @change=${(event: Event) => void goQuery({ state: (event.target as HTMLSelectElement).value, marker: undefined })}>
        <option value="">${credentials.all}</option>
        ${STATES.map((state) => html`<option value=${state} ?selected=${state === chosen}>${credentials.states[state]}</option>`)}
      </select></div>
    ${personFilter(content)}</div>`;
}

export function issuedList(content: IssuedContent, reload: () => Promise<void>): TemplateResult {
  const { credentials } = words;
  const { query } = content.location;
  const isFiltered = query.has('state') || query.has('person');
  return html`${content.rows.length > 0 || isFiltered ? filters(content) : nothing}
    ${table<IssuedCredential>({
      caption: credentials.issued,
      rows: content.rows,
      key: ({ id }) => id,
      columns: columnsOf(content),
      actions: actionsOf(content, reload),
      empty: isFiltered ? credentials.noneLikeThis : credentials.none,
    })}
    ${pager(listQuery(content.location), content.next, goQuery)}`;
}
