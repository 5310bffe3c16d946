// The filters of the audit, by what one remembers: who, whom or what, what happened, where and when. They are in the address, by the names
// that the API has.
import { html, type TemplateResult } from 'lit';
import { copyText } from '../../shared/dialog.ts';
import { type FormField, FormValues, formField } from '../../shared/form.ts';
import type { Choice } from '../../shared/pick.ts';
import { hrefOf } from '../../shared/router.ts';
import { goQuery } from '../frame.ts';
import { findApplications, findDomains, findGroups, findOrganizations, findPeople } from '../resources.ts';
import { session } from '../session.ts';
import { words } from '../words/index.ts';
import { ACTIONS, type Names, nameIn, phrase } from './sentence.ts';

export const FILTERS = [
  'actor_id',
  'user_id',
  'target_type',
  'target_id',
  'action',
  'domain_id',
  'application_id',
  'outcome',
  'since',
  'until',
] as const;
export type FilterQuery = Readonly<Record<(typeof FILTERS)[number], string | undefined>>;

const OFFERED = 8;
const HOUR_MS = 3_600_000;
const PERIODS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS, month: 30 * 24 * HOUR_MS } as const;

/** `2026-11-16T08:00` in the reader's zone, as the API has it. */
const isoOf = (local: string): string | undefined => {
  const at = new Date(local);
  return local === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
};

/** For the field: the local time without its zone. */
function localOf(iso: string | undefined): string {
  const at = new Date(iso ?? '');
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

type Find = (text: string, signal: AbortSignal) => Promise<readonly Choice[]>;
/** How things are found, and the rule that lists them. */
const FINDS: readonly (readonly [kind: keyof typeof words.audit.kinds, find: Find, rule: string])[] = [
  ['user', findPeople, 'identity:list_users'],
  ['group', findGroups, 'identity:list_groups'],
  ['project', findOrganizations, 'identity:list_projects'],
  ['domain', findDomains, 'identity:list_domains'],
  ['consumer', findApplications, 'list_consumers'],
];

/** Things of several kinds in one list. The value is `kind:id`. */
const findThings =
  (...kinds: readonly string[]): Find =>
  async (text, signal) => {
    const found = await Promise.all(
      FINDS.filter(([kind, , rule]) => kinds.includes(kind) && session.may(rule)).map(async ([kind, find]) => {
        const choices = await find(text, signal);
        const kindName = words.audit.kinds[kind];
        return choices.slice(0, OFFERED).map((one) => ({ value: `${kind}:${one.value}`, label: one.label, detail: kindName }));
      }),
    );
    return [...found.flat(), ...(/^[\w.:-]{8,64}$/.test(text) ? [{ value: `:${text}`, label: words.audit.byId(text) }] : [])];
  };

/** What happened: a sentence, or everything of one kind. */
const actionChoices = (): Choice[] => {
  const kinds = [...new Set(ACTIONS.map((action) => action.slice(0, action.indexOf('.') + 1)))];
  const { kinds: names } = words.audit;
  return [
    ...kinds.flatMap((prefix) => {
      const name = names[prefix.slice(0, -1) as keyof typeof names];
      return name === undefined ? [] : [{ value: `${prefix}*`, label: words.audit.anythingAbout(name) }];
    }),
    ...ACTIONS.map((action) => ({ value: action, label: phrase(action), detail: action })),
  ];
};
async function findActions(text: string): Promise<readonly Choice[]> {
  const parts = text.toLowerCase().split(/\s+/);
  return actionChoices().filter(({ value, label }) => parts.every((part) => `${label} ${value}`.toLowerCase().includes(part)));
}

const chosenThing = (names: Names, kind: string, id: string | undefined): { chosen?: Choice } =>
  id === undefined ? {} : { chosen: { value: `${kind}:${id}`, label: nameIn(names, kind, id) ?? words.audit.byId(id) } };

function fieldsOf(query: FilterQuery, names: Names): FormField[] {
  const { audit } = words;
  const { actor_id: actor, user_id: user, target_id: id, target_type: type, action, domain_id, application_id } = query;
  const outcomes = ['', 'success', 'failure'] as const;
  const actionLabel = action && (actionChoices().find(({ value }) => value === action)?.label ?? action);
  return [
    {
      name: 'who',
      label: audit.who,
      type: 'pick',
      find: findThings('user'),
      ...chosenThing(names, 'user', actor),
    },
    {
      name: 'what',
      label: audit.about,
      type: 'pick',
      find: findThings('user', 'group', 'project', 'domain', 'consumer'),
      ...(user === undefined ? chosenThing(names, type ?? '', id) : chosenThing(names, 'user', user)),
    },
    {
      name: 'action',
      label: audit.what,
      type: 'pick',
      find: findActions,
      ...(action && actionLabel ? { chosen: { value: action, label: actionLabel } } : {}),
    },
    {
      name: 'where',
      label: audit.where,
      type: 'pick',
      find: findThings('domain', 'consumer'),
      ...(domain_id === undefined ? chosenThing(names, 'consumer', application_id) : chosenThing(names, 'domain', domain_id)),
    },
    {
      name: 'outcome',
      label: audit.outcome,
      type: 'select',
      value: query.outcome ?? '',
      options: outcomes.map((value) => ({ value, label: audit.outcomes[value || 'any'] })),
    },
    { name: 'since', label: audit.since, type: 'datetime-local', value: localOf(query.since) },
    { name: 'until', label: audit.until, type: 'datetime-local', value: localOf(query.until) },
  ].map((field) => ({ ...field, unmarked: true }) as FormField);
}

/** `kind:id` */
function partsOf(value: string | undefined): { kind: string; id: string | undefined } {
  const [, kind = '', id] = /^([a-z_]*):(.+)$/s.exec(value ?? '') ?? [];
  return { kind, id };
}

function queryOf(values: FormValues): FilterQuery {
  const [who, what, where] = (['who', 'what', 'where'] as const).map((name) => partsOf(values.optional(name)));
  const isPerson = what!.kind === 'user';
  return {
    actor_id: who!.id,
    user_id: isPerson ? what!.id : undefined,
    target_type: isPerson ? undefined : what!.kind || undefined,
    target_id: isPerson ? undefined : what!.id,
    action: values.optional('action'),
    domain_id: where!.kind === 'consumer' ? undefined : where!.id,
    application_id: where!.kind === 'consumer' ? where!.id : undefined,
    outcome: values.optional('outcome'),
    since: isoOf(values.text('since')),
    until: isoOf(values.text('until')),
  };
}

export function filters(query: FilterQuery, names: Names): TemplateResult {
  const { audit } = words;
  const apply = (event: SubmitEvent): void => {
    event.preventDefault();
    void goQuery({ ...queryOf(new FormValues(event.target as HTMLFormElement)), marker: undefined });
  };
  const period = (name: keyof typeof PERIODS): void => {
    const since = new Date(Date.now() - PERIODS[name]).toISOString();
    void goQuery({ since, until: undefined, marker: undefined });
  };
  const isFiltered = FILTERS.some((name) => query[name] !== undefined);
  return html`<details class="card" ?open=${isFiltered}><summary>${audit.filter}</summary>
    <form class="filters" @submit=${apply}>
      ${fieldsOf(query, names).map((field) => formField(field, 'audit'))}
      <div class="buttons">
        <button type="submit">${audit.apply}</button>
        <a class="button second" href=${hrefOf('/audit')}>${audit.clear}</a>
        <button type="button" class="second" @click=${() => void copyText(window.location.href)}>${audit.copyLink}</button>
      </div>
      <div class="buttons" role="group" aria-label=${audit.when}>
        ${(Object.keys(PERIODS) as (keyof typeof PERIODS)[]).map(
          (name) => html`<button type="button" class="second small" @click=${() => period(name)}>${audit.periods[name]}</button>`,
        )}
      </div>
    </form></details>`;
}
