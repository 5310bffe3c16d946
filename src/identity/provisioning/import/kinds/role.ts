// Base roles, of the service and of domains.
import { t } from '../../../../platform/http/index.ts';
import { newId } from '../../../../platform/ids.ts';
import { findRole, insertRoleRow, replaceRoleRow } from '../../../directory/roles/index.ts';
import { areAlike } from '../../../directory/users/index.ts';
import { mergeOptions } from '../../../ground/resource/index.ts';
import { makeEach, type Remark, recordKind } from '../kind.ts';
import { byExactName, existingThings } from './existing.ts';
import { extra, id, key, name, options, text } from './fields.ts';

const schema = t.object({ key, name }, { id, domain: t.nullable(key), description: text, options, extra });

/** The policy depends on these names: whoever could rename one would change what everybody may do. */
const PROTECTED = ['admin', 'manager', 'member', 'reader'];

export const role = recordKind({
  schema,
  words: ({ name: its }) => `role ${its}`,
  needs: ({ domain }) => (domain == null ? [] : [{ kind: 'domain', key: domain }]),
  existing: (place, records, ownAmong) =>
    existingThings(
      place,
      'roles',
      records,
      ownAmong,
      ({ domain }) => (domain == null ? null : place.idOfNeeded('domain', domain)),
      byExactName(place, 'roles'),
    ),
  // Programs compare names of roles in any case: who has `ADMIN` is an administrator there.
  remarks: async (_, records) =>
    new Map(
      records.flatMap(({ key: its, name: own }) => {
        const alike = PROTECTED.find((one) => one !== own && areAlike(one, own));
        const text = `the name of the role ${own} looks like ${alike}`;
        return alike ? [[its, [{ about: alike === 'admin' ? 'administrator' : 'name', text }] satisfies Remark[]]] : [];
      }),
    ),
  make: ({ change, idOfNeeded }, records) =>
    makeEach(records, async ({ id: own = newId(), name: its, domain, description, options: set, extra: others }) => {
      await insertRoleRow(change, {
        id: own,
        name: its.trim(),
        domain_id: domain == null ? null : idOfNeeded('domain', domain),
        description: description ?? null,
        options: mergeOptions('{}', set),
        extra: JSON.stringify(others ?? {}),
        created_at: change.now,
      });
      return own;
    }),
  /** The role takes the id that it has in the source: other programs know it by that. */
  async update({ change, deps }, here, { id: own = here, name: its, description, options: set, extra: others }) {
    const row = await findRole(change.tx, here);
    if (!row) return undefined;
    const isProtected = row.domain_id === null && PROTECTED.includes(row.name);
    const stored = await replaceRoleRow(deps.db, change, here, {
      id: own,
      name: isProtected ? row.name : its.trim(),
      description: description ?? null,
      options: isProtected ? row.options : mergeOptions('{}', set),
      extra: JSON.stringify(others ?? {}),
    });
    return stored ? own : undefined;
  },
});
