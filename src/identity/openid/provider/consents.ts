// Stored consents: what a person allowed an application, beyond one session. Grants of sessions are created from them.
import { consentIdOf, type Records } from '../records/index.ts';

const MODEL = 'Consent';

/** The parts of a grant that are stored. */
export interface Consent {
  readonly openid?: unknown;
  readonly resources?: unknown;
}

export async function readConsent(records: Records, accountId: string, clientId: string): Promise<Consent | undefined> {
  const found = await records.find(MODEL, consentIdOf(accountId, clientId));
  return found && { openid: found.openid, resources: found.resources };
}

/** What a grant says. Not if the grant, which may say more than the person allowed now, was withdrawn meanwhile. */
export function saveConsent(
  records: Records,
  who: { readonly accountId: string; readonly clientId: string; readonly grantId: string },
  { openid, resources }: Consent,
  lifetime: number,
): Promise<unknown> {
  const { accountId, clientId, grantId } = who;
  const payload = { accountId, clientId, openid, resources };
  return records.saveCopyOfGrant(grantId, { model: MODEL, id: consentIdOf(accountId, clientId), payload, lifetime });
}
