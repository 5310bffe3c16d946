// Application credentials that exist in another system.
import type { Change } from '../../ground/audit/index.ts';
import type { AccessRuleRow, ApplicationCredentialRow } from '../../ground/database/index.ts';
import { ensureAccessRule, insertApplicationCredential } from './application-credentials.store.ts';

export interface ImportedApplicationCredential {
  readonly row: ApplicationCredentialRow;
  readonly roleIds: readonly string[];
  readonly rules: readonly Omit<AccessRuleRow, 'user_id'>[];
}

/** Whoever calls has looked for the user, the project and the roles, of which there is one at least. */
export async function importApplicationCredential(
  { tx, audit }: Change,
  { row, roleIds, rules }: ImportedApplicationCredential,
): Promise<void> {
  const { id, user_id: userId, project_id: projectId } = row;
  const ruleIds = new Set<string>();
  for (const rule of rules) ruleIds.add(await ensureAccessRule(tx, { ...rule, user_id: userId }));
  await insertApplicationCredential(tx, row, { roleIds: [...new Set(roleIds)], ruleIds: [...ruleIds] });
  audit('application_credential.created', { kind: 'application_credential', id }, { user_id: userId, project_id: projectId });
}
