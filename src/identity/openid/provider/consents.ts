// Stored consents: what a person allowed an application, beyond one session. Grants of sessions are created from them.
import type { Records } from '../records/index.ts';

const MODEL = 'Consent';

/** The parts of a grant that are stored. */
export interface Consent {
  readonly openid?: unknown;
  readonly resources?: unknown;
}

const idOf = (accountId: string, clientId: string): string => `${accountId} ${clientId}`;

export async function readConsent(records: Records, accountId: string, clientId: string): Promise<Consent | undefined> {
  const found = await records.find(MODEL, idOf(accountId, clientId));
  return found && { openid: found.openid, resources: found.resources };
}

export function saveConsent(
  records: Records,
  who: { readonly accountId: string; readonly clientId: string },
  { openid, resources }: Consent,
  seconds: number,
): Promise<unknown> {
  return records.save(MODEL, idOf(who.accountId, who.clientId), { ...who, openid, resources }, seconds);
}
