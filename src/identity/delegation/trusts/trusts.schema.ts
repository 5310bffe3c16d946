// Wire format of trusts.
import { isoTime } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import { Role, renderRole } from '../../directory/roles/index.ts';
import type { TrustRow } from '../../ground/database/index.ts';
import { Links, ListLinks, parseJson } from '../../ground/resource/index.ts';
import type { Trust as StoredTrust } from './trusts.store.ts';

const Id = t.string({ minLength: 1, maxLength: 64 });
const MAX_COUNT = 1_000_000_000;

/** Names of attributes that are not stored as they are. The last three are ours: what clients say of them is ignored. */
export const trustFields = [
  'trustor_user_id',
  'trustee_user_id',
  'impersonation',
  'project_id',
  'remaining_uses',
  'expires_at',
  'allow_redelegation',
  'redelegation_count',
  'roles',
  'roles_links',
  'deleted_at',
  'redelegated_trust_id',
];

const NewTrust = t.open(
  {
    trustor_user_id: t.string({
      minLength: 1,
      maxLength: 64,
      description: 'The user who delegates the roles: the user of the token.',
    }),
    trustee_user_id: t.string({ minLength: 1, maxLength: 64, description: 'The user who gets the roles.' }),
    impersonation: t.boolean({ description: 'Whether its tokens name the trustor as their user, instead of the trustee.' }),
  },
  {
    project_id: t.nullable(Id),
    roles: t.array(t.object({}, { id: Id, name: t.string({ minLength: 1, maxLength: 255 }) }), {
      maxItems: 100,
      description: 'Roles of the trustor in the project, each by its id or its name.',
    }),
    expires_at: t.nullable(t.string({ maxLength: 64 })),
    remaining_uses: t.nullable(
      t.integer({
        minimum: 1,
        maximum: MAX_COUNT,
        description: 'How often one can log in with it. Without it: any number of times.',
      }),
    ),
    allow_redelegation: t.nullable(t.boolean({ description: 'Whether the trustee may redelegate the trust.' })),
    redelegation_count: t.nullable(
      t.integer({
        minimum: 0,
        maximum: MAX_COUNT,
        description: 'How many times the trust may be redelegated, from one user to the next.',
      }),
    ),
  },
);
export const CreateTrust = t.envelope('trust', NewTrust);

const fields = {
  id: t.string(),
  trustor_user_id: t.string(),
  trustee_user_id: t.string(),
  project_id: t.nullable(t.string()),
  impersonation: t.boolean(),
  expires_at: t.nullable(t.string()),
  remaining_uses: t.nullable(t.integer()),
  deleted_at: t.nullable(t.string()),
  redelegated_trust_id: t.nullable(t.string()),
  redelegation_count: t.integer(),
  links: Links,
};
/** As lists have it: without the roles. */
const ListedTrust = t.open(fields);
const Trust = t.open({ ...fields, roles: t.array(Role), roles_links: ListLinks });
export const TrustEnvelope = t.envelope('trust', Trust);
export const TrustList = t.object({ links: ListLinks, trusts: t.array(ListedTrust) });

const pathOf = (base: string, { id }: TrustRow): string => `${base}/v3/OS-TRUST/trusts/${id}`;

export const renderListedTrust = (base: string, row: TrustRow) => ({
  ...parseJson(row.extra),
  id: row.id,
  trustor_user_id: row.trustor_user_id,
  trustee_user_id: row.trustee_user_id,
  project_id: row.project_id,
  impersonation: row.impersonation === 1,
  expires_at: row.expires_at === null ? null : isoTime(row.expires_at * 1000),
  remaining_uses: row.remaining_uses,
  // Keystone has this field for trusts that it keeps after they were deleted.
  deleted_at: null,
  redelegated_trust_id: row.redelegated_trust_id,
  redelegation_count: row.redelegation_count,
  links: { self: pathOf(base, row) },
});

export const rolesOf = (base: string, { roles }: StoredTrust) => roles.map((role) => renderRole(base, role));

export const renderTrust = (base: string, trust: StoredTrust) => ({
  ...renderListedTrust(base, trust.row),
  roles: rolesOf(base, trust),
  roles_links: { self: `${pathOf(base, trust.row)}/roles`, previous: null, next: null },
});

t.name({ NewTrust, CreateTrust, ListedTrust, Trust, TrustEnvelope, TrustList });
