// Who acts for whom: keys and other credentials, application credentials, trusts.
import { type Static, t } from '../../../../platform/http/index.ts';
import { newId } from '../../../../platform/ids.ts';
import { importApplicationCredential } from '../../../delegation/application-credentials/index.ts';
import { importTrust, replaceTrustEnds } from '../../../delegation/trusts/index.ts';
import { importedSecret } from '../../../directory/passwords/index.ts';
import { fail } from '../../../ground/faults.ts';
import { type Found, type KeyedRecord, makeEach, type ReadPlace, type Reference, type Remark, recordKind } from '../kind.ts';
import { delegationIds } from './existing.store.ts';
import { BY_ID } from './existing.ts';
import { extra, id, key, seconds, text } from './fields.ts';

type Kind = Parameters<typeof delegationIds>[1];

type WithId = KeyedRecord & { readonly id?: string | undefined };

async function byId(kind: Kind, { reader }: ReadPlace, records: readonly WithId[]): Promise<Map<string, Found>> {
  const ids = records.flatMap((one) => one.id ?? []);
  const here = await delegationIds(reader, kind, ids);
  const found = records.filter((one) => one.id !== undefined && here.has(one.id));
  return new Map(found.map((one) => [one.key, { id: one.id!, by: BY_ID }]));
}

const ref = (kind: string, value: string | null | undefined): Reference[] => (value == null ? [] : [{ kind, key: value }]);
const idOf = (place: ReadPlace, kind: string, value: string | null | undefined): string | null =>
  value == null ? null : place.idOfNeeded(kind, value);

/** `blob` is the plain content; it is sealed here. */
const credentialSchema = t.object(
  { key, user: key, type: t.string({ minLength: 1, maxLength: 255 }), blob: t.string({ maxLength: 65_536 }) },
  { id, project: t.nullable(key), extra },
);

const credentialOf = (
  place: ReadPlace,
  own: string,
  { user, project, type, blob, extra: others = {} }: Static<typeof credentialSchema>,
) => ({
  id: own,
  userId: place.idOfNeeded('user', user),
  projectId: idOf(place, 'project', project),
  type,
  blob,
  extra: others,
});

export const credential = recordKind({
  schema: credentialSchema,
  words: (record) => `credential ${record.key} (${record.type})`,
  needs: ({ user, project }) => [...ref('user', user), ...ref('project', project)],
  existing: (place, records) => byId('credential', place, records),
  make: (place, records) =>
    makeEach(records, async (record) => {
      const own = record.id ?? newId();
      await place.deps.importedCredentials.insert(place.change, credentialOf(place, own, record));
      return own;
    }),
  async update(place, here, record) {
    return (await place.deps.importedCredentials.replace(place.change, credentialOf(place, here, record))) ? here : undefined;
  },
});

const AccessRule = t.object(
  { service: t.string({ maxLength: 64 }), path: t.string({ maxLength: 1024 }), method: t.string({ maxLength: 16 }) },
  { id },
);

const applicationCredentialSchema = t.object(
  {
    key,
    user: key,
    project: key,
    name: t.string({ minLength: 1, maxLength: 255 }),
    secret_hash: t.string({ maxLength: 2000 }),
    roles: t.array(key),
  },
  {
    id,
    description: text,
    unrestricted: t.boolean(),
    expires_at: t.nullable(seconds),
    access_rules: t.array(AccessRule),
    created_at: seconds,
  },
);

export const applicationCredential = recordKind({
  schema: applicationCredentialSchema,
  words: (record) => `application credential ${record.name} (${record.key})`,
  needs: ({ user, project, roles }) => [
    ...ref('user', user),
    ...ref('project', project),
    // One with fewer roles than its program needs is better than none.
    ...roles.map((role) => ({ kind: 'role', key: role, optional: true })),
  ],
  check({ secret_hash: hash }) {
    if (importedSecret(hash) === undefined)
      fail('request.bad_value', { field: 'secret_hash', why: 'it is no hash that can be compared with here' });
  },
  existing: (place, records) => byId('application_credential', place, records),
  remarks: async (place, records) =>
    new Map(
      records.flatMap(({ key: its, roles }) => {
        const lost = roles.filter((role) => place.idOf('role', role) === undefined);
        const remark: Remark = { about: 'left_out', text: `these roles were not taken: ${lost.join(', ')}` };
        return lost.length > 0 ? [[its, [remark]]] : [];
      }),
    ),
  make: (place, records) =>
    makeEach(records, async (record) => {
      const own = record.id ?? newId();
      const roleIds = record.roles.flatMap((role) => place.idOf('role', role) ?? []);
      if (roleIds.length === 0) fail('application_credential.unassigned_role');
      await importApplicationCredential(place.change, {
        row: {
          id: own,
          user_id: place.idOfNeeded('user', record.user),
          project_id: place.idOfNeeded('project', record.project),
          name: record.name,
          description: record.description ?? null,
          secret_hash: importedSecret(record.secret_hash)!,
          unrestricted: record.unrestricted ? 1 : 0,
          expires_at: record.expires_at ?? null,
          expires_micros: 0,
          created_at: record.created_at ?? place.change.now,
        },
        roleIds,
        rules: (record.access_rules ?? []).map((rule) => ({ ...rule, id: rule.id ?? newId() })),
      });
      return own;
    }),
  /** As in Keystone, nothing of one changes. */
  update: async (_, here) => here,
});

const trustSchema = t.object(
  { key, trustor: key, trustee: key, impersonation: t.boolean(), roles: t.array(key) },
  {
    id,
    project: t.nullable(key),
    expires_at: t.nullable(seconds),
    remaining_uses: t.nullable(t.integer({ minimum: 0 })),
    redelegated_trust: t.nullable(key),
    redelegation_count: t.integer({ minimum: 0 }),
    extra,
  },
);

export const trust = recordKind({
  schema: trustSchema,
  words: (record) => `trust ${record.key}`,
  needs: ({ trustor, trustee, project, roles, redelegated_trust: above }) => [
    ...ref('user', trustor),
    ...ref('user', trustee),
    ...ref('project', project),
    ...ref('trust', above),
    // Without one of them a trust gives nothing, as in Keystone.
    ...roles.flatMap((role) => ref('role', role)),
  ],
  existing: (place, records) => byId('trust', place, records),
  make: (place, records) =>
    makeEach(records, async (record) => {
      const own = record.id ?? newId();
      await importTrust(
        place.change,
        {
          id: own,
          trustor_user_id: place.idOfNeeded('user', record.trustor),
          trustee_user_id: place.idOfNeeded('user', record.trustee),
          project_id: idOf(place, 'project', record.project),
          impersonation: record.impersonation ? 1 : 0,
          expires_at: record.expires_at ?? null,
          remaining_uses: record.remaining_uses ?? null,
          redelegated_trust_id: idOf(place, 'trust', record.redelegated_trust),
          redelegation_count: record.redelegation_count ?? 0,
          extra: JSON.stringify(record.extra ?? {}),
          created_at: place.change.now,
          used_up_at: null,
        },
        record.roles.map((role) => place.idOfNeeded('role', role)),
      );
      return own;
    }),
  async update(place, here, record) {
    const ends = { expires_at: record.expires_at ?? null, remaining_uses: record.remaining_uses ?? null };
    return (await replaceTrustEnds(place.change, here, ends)) ? here : undefined;
  },
});
