// What a person allowed an application before: the grant that a request begins with.
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { readConsent } from '../consents.ts';
import type { Records } from '../records/records.ts';

type Grant = InstanceType<Provider['Grant']>;

/** Has what is asked for now, when it was less before. */
async function ownGrant(grant: Grant, scopes: ReadonlySet<string>): Promise<Grant> {
  const held = new Set(grant.getOIDCScope().split(' '));
  if (grant.jti && [...scopes].every((scope) => held.has(scope))) return grant;
  grant.addOIDCScope([...scopes].join(' '));
  await grant.save();
  return grant;
}

/** What a person once allowed an application they are not asked again, in whichever browser. */
export async function loadExistingGrant(
  { records, isOwn }: { records: Records; isOwn(clientId: string): boolean },
  ctx: KoaContextWithOIDC,
): Promise<Grant | undefined> {
  const { client, session, result, provider } = ctx.oidc;
  const clientId = client!.clientId;
  const inSession = result?.consent?.grantId ?? session!.grantIdFor(clientId);
  const given = inSession ? await provider.Grant.find(inSession) : undefined;
  const accountId = session!.accountId;
  if (accountId && isOwn(clientId))
    return ownGrant(given ?? new provider.Grant({ accountId, clientId }), ctx.oidc.requestParamOIDCScopes);
  if (inSession || !accountId) return given;
  const consent = await readConsent(records, accountId, clientId);
  if (!consent) return undefined;
  // One for each session: what ends in one browser goes on in the others.
  const grant = new provider.Grant({ accountId, clientId });
  Object.assign(grant, consent);
  await grant.save();
  return grant;
}
