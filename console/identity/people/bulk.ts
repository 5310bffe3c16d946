// The same for several people: each by the request that changes one, with its rules, and with a result of its own.
import { confirmAct, openForm } from '../../shared/dialog.ts';
import { part } from '../../shared/router.ts';
import { DONE, runEach } from '../../shared/run-each.ts';
import { chooseGrant } from '../grants/give.ts';
import { findGroups, type User } from '../resources.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';

type People = readonly User[];
export interface BulkAct {
  readonly label: string;
  readonly danger?: boolean;
  run(people: People): Promise<void>;
}

const NAMED = 10;
const namesOf = (people: People): string => {
  const names = people.slice(0, NAMED).map(({ name }) => name);
  return people.length > NAMED ? `${names.join(', ')} … (${people.length})` : names.join(', ');
};

const each = (title: string, items: People, run: (person: User) => Promise<unknown>): Promise<void> =>
  runEach({
    title,
    items,
    name: ({ name }) => name,
    run: async (person) => {
      await run(person);
      return DONE;
    },
  });

async function setEnabled(people: People, enabled: boolean): Promise<void> {
  const title = enabled ? words.people.enable : words.people.disable;
  const isAgreed = await confirmAct({
    title: `${title}: ${people.length}`,
    text: `${namesOf(people)}. ${enabled ? words.people.enableText : words.people.disableText}`,
    action: title,
    danger: !enabled,
  });
  if (isAgreed) await each(title, people, ({ id }) => api.patch(`/v3/users/${part(id)}`, { user: { enabled } }));
}

async function addToGroup(people: People): Promise<void> {
  const title = words.people.addToGroup;
  let group = '';
  const isChosen = await openForm({
    title,
    text: namesOf(people),
    submitLabel: title,
    fields: [{ name: 'group', label: words.people.group, type: 'pick', required: true, find: findGroups }],
    submit: async (values) => {
      group = values.text('group');
    },
  });
  if (isChosen) await each(title, people, ({ id }) => api.put(`/v3/groups/${part(group)}/users/${part(id)}`));
}

async function giveRole(people: People): Promise<void> {
  const pathFor = await chooseGrant(namesOf(people));
  if (pathFor) await each(words.grants.give, people, ({ id }) => api.put(pathFor(id)));
}

/**
 * What this person may do at all, by rules that need nobody to ask about: whoever may make an account may change some. The service decides for
 * each of the people.
 */
export function bulkActs(done: () => Promise<void>): readonly BulkAct[] {
  const { people, grants } = words;
  const acts = [
    { label: people.enable, rule: 'identity:create_user', run: (some: People) => setEnabled(some, true) },
    { label: people.disable, rule: 'identity:create_user', danger: true, run: (some: People) => setEnabled(some, false) },
    { label: people.addToGroup, rule: 'identity:create_group', run: addToGroup },
    { label: grants.give, rule: 'identity:create_user', run: giveRole },
  ];
  return acts
    .filter(({ rule }) => session.may(rule))
    .map(({ rule: _, run, ...act }) => ({
      ...act,
      run: async (some) => {
        await run(some);
        await done();
      },
    }));
}
