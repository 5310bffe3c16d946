// What a person allowed an application, for longer than one session: the grants of sessions are made from it.
import type { Records } from './records/records.ts';

const MODEL = 'Consent';

/** The parts of a grant that say what it allows. */
export interface Consent {
  readonly openid?: unknown;
  readonly resources?: unknown;
}

const idOf = (accountId: string, clientId: string): string => `${accountId} ${clientId}`;

export async function readConsent(records: Records, accountId: string, clientId: string): Promise<Consent | undefined> {
  const found = await records.find(MODEL, idOf(accountId, clientId));
  return found && { openid: found.openid, resources: found.resources };
}

export function keepConsent(
  records: Records,
  who: { readonly accountId: string; readonly clientId: string },
  { openid, resources }: Consent,
  seconds: number,
): Promise<unknown> {
  return records.save(MODEL, idOf(who.accountId, who.clientId), { ...who, openid, resources }, seconds);
}
