// People, with their passwords.
import { type Static, t } from '../../../../platform/http/index.ts';
import { newId } from '../../../../platform/ids.ts';
import { isAdministratorAnywhere } from '../../../access/context/index.ts';
import { readImported } from '../../../directory/passwords/index.ts';
import { exactNameKey, type ImportedPerson, nameKey } from '../../../directory/users/index.ts';
import { type KeyedRecord, type ReadPlace, type Remark, recordKind } from '../kind.ts';
import { domainOf, needsDomain } from './domain-of.ts';
import { usersOfKeys } from './existing.store.ts';
import { existingThings } from './existing.ts';
import { extra, id, key, name, options, seconds } from './fields.ts';

const Password = t.object(
  { hash: t.string({ minLength: 1, maxLength: 2000 }), created_at: seconds },
  { expires_at: t.nullable(seconds), self_service: t.boolean() },
);

/** `passwords`: the oldest first, the last one is in force. `attributes`: of the base API, such as `email`; `profile`: of SCIM. */
const schema = t.object(
  { key, name },
  {
    id,
    domain: key,
    enabled: t.boolean(),
    default_project: t.nullable(key),
    options,
    attributes: extra,
    profile: extra,
    external_id: name,
    email_confirmed: t.boolean(),
    created_at: seconds,
    last_active_at: seconds,
    passwords: t.array(Password, { maxItems: 100 }),
  },
);

type UserRecord = Static<typeof schema>;

const ACCOUNT_PARTS = ['account', 'enabled', 'options'] as const;

const passwordsOf = ({ passwords = [] }: UserRecord) =>
  readImported(
    passwords.map(({ hash, created_at, expires_at, self_service }) => ({
      hash,
      createdAt: created_at,
      expiresAt: expires_at,
      isSelfService: self_service,
    })),
  );

const personOf = (place: ReadPlace, record: UserRecord, own: string): ImportedPerson => ({
  id: own,
  domainId: domainOf(place, record),
  name: record.name,
  enabled: record.enabled ?? true,
  // Keystone keeps the id of a project that is not there any more.
  defaultProjectId: record.default_project == null ? null : (place.idOf('project', record.default_project) ?? null),
  options: record.options ?? {},
  attributes: record.attributes ?? {},
  profile: record.profile,
  externalId: record.external_id,
  isEmailConfirmed: record.email_confirmed,
  createdAt: record.created_at,
  lastActiveAt: record.last_active_at,
});

/** Somebody is the same if the name is: in any case, unless they came from this source, too. */
async function idsOfNames(place: ReadPlace, domainId: string | null, records: readonly (KeyedRecord & { name: string })[]) {
  const keys = records.flatMap((one) => [nameKey(one.name), exactNameKey(one.name)]);
  const ids = new Map((await usersOfKeys(place.reader, domainId ?? '', keys)).map((row) => [row.name_key, row.id]));
  const idOf = (its: string) => ids.get(exactNameKey(its)) ?? ids.get(nameKey(its));
  return new Map(records.flatMap((one) => (idOf(one.name) === undefined ? [] : [[one.key, idOf(one.name)!]])));
}

async function remarks(
  place: ReadPlace,
  records: readonly UserRecord[],
  here: ReadonlyMap<string, string>,
): Promise<Map<string, Remark[]>> {
  const said = new Map<string, Remark[]>();
  const say = (its: string, remark: Remark) => void said.set(its, [...(said.get(its) ?? []), remark]);
  const people = records.map((record) => personOf(place, record, record.key));
  for (const [its, why] of await place.deps.users.imported.nameProblems(place.reader, people))
    say(its, { about: 'name', text: `nobody new could have this name: ${why}` });
  for (const record of records) {
    const { problem } = passwordsOf(record);
    if (problem !== undefined) say(record.key, { about: 'left_out', text: `the password was left out: ${problem}` });
  }
  // Whoever has the password there would have it here.
  for (const [its, id] of here)
    if (await isAdministratorAnywhere(place.reader, id))
      say(its, {
        about: 'administrator',
        text: 'this is an administrator here, who gets what the source says, with the password',
      });
  return said;
}

export const user = recordKind({
  schema,
  words: ({ name: its }) => `user ${its}`,
  needs: (record) => [
    ...needsDomain(record),
    ...(record.default_project == null ? [] : [{ kind: 'project', key: record.default_project, optional: true }]),
  ],
  // When somebody was last there says nothing that would be written.
  parts: ({ passwords = [], enabled = true, options: set = {}, last_active_at: _, ...account }) => ({
    account,
    enabled,
    options: set,
    passwords,
  }),
  existing: (place, records, ownAmong) =>
    existingThings(
      place,
      'users',
      records,
      ownAmong,
      (record) => domainOf(place, record),
      (domainId, some) => idsOfNames(place, domainId, some),
    ),
  remarks,
  async make(place, records) {
    const ids = new Map(records.map((record) => [record.key, record.id ?? newId()]));
    const byId = new Map(records.map((record) => [ids.get(record.key)!, passwordsOf(record).passwords]));
    const people = records.map((record) => personOf(place, record, ids.get(record.key)!));
    await place.deps.users.imported.insert(place.change, people, (own) => byId.get(own)!);
    return ids;
  },
  async update(place, here, record, parts) {
    const said = ACCOUNT_PARTS.filter((part) => parts.has(part));
    const passwords = parts.has('passwords') ? passwordsOf(record).passwords : undefined;
    const { imported } = place.deps.users;
    return (await imported.update(place.change, personOf(place, record, here), said, passwords)) ? here : undefined;
  },
});
