// What an application credential gives to the tokens that were made with it.
import { type DelegationReader, tagOf } from '../../access/context/index.ts';
import { ruleOf } from './application-credentials.schema.ts';
import { findApplicationCredential } from './application-credentials.store.ts';

export const applicationCredentialDelegation: DelegationReader = async (reader, id) => {
  const found = await findApplicationCredential(reader, id);
  if (!found) return undefined;
  const { row, roles, rules } = found;
  const isUnrestricted = row.unrestricted === 1;
  const accessRules = rules.length > 0 ? rules.map(ruleOf) : undefined;
  return {
    userId: row.user_id,
    giverId: row.user_id,
    alsoActive: [],
    scope: { kind: 'project', id: row.project_id },
    roleIds: roles.map((role) => role.id),
    // Keystone deletes the credential when its user loses a role in the project.
    lostRole: 'ends all',
    expiresAt: row.expires_at,
    tags: [tagOf.delegation({ kind: 'application_credential', id })],
    tokenSection: {
      application_credential: {
        id,
        name: row.name,
        restricted: !isUnrestricted,
        ...(accessRules ? { access_rules: accessRules } : {}),
      },
    },
    userSection: {},
    isUnrestricted,
    accessRules,
  };
};
