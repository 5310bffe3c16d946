// The initial grant of a request: what the person allowed the application before.
import type { KoaContextWithOIDC } from 'oidc-provider';
import { SKIP_CONSENT } from '../../../applications/consumers/index.ts';
import type { Records } from '../../records/index.ts';
import { readConsent } from '../consents.ts';
import { isForDevice } from '../device-routes.ts';
import type { OidcGrant } from '../library.ts';
import { allowApis } from '../resources.ts';

/**
 * Adds the requested scopes to the grant of an application whose people are not asked. An API is somebody else: unless it names the application, or
 * the application is part of this installation, they are asked for that.
 */
async function extendGrant(grant: OidcGrant, oidc: KoaContextWithOIDC['oidc'], isFirstParty: boolean): Promise<OidcGrant> {
  const scopes = oidc.requestParamOIDCScopes;
  const allowed = new Set(grant.getOIDCScope().split(' '));
  const { clientId } = oidc.client!;
  const isMore = allowApis(oidc, grant, ({ applications }) => isFirstParty || applications?.includes(clientId) === true);
  if (grant.jti && !isMore && [...scopes].every((scope) => allowed.has(scope))) return grant;
  grant.addOIDCScope([...scopes].join(' '));
  await grant.save();
  return grant;
}

/** A device may be in the hands of whoever sent the person the link (RFC 8628, 5.4), so the person is asked then. */
const skipsConsent = ({ client, route }: KoaContextWithOIDC['oidc']): boolean =>
  client?.[SKIP_CONSENT] === true && !isForDevice(route);

/** A stored consent applies in every browser of the person. */
export async function loadExistingGrant(
  { records, isFirstParty }: { records: Records; isFirstParty(clientId: string): boolean },
  ctx: KoaContextWithOIDC,
): Promise<OidcGrant | undefined> {
  const { client, session, result, provider } = ctx.oidc;
  const clientId = client!.clientId;
  const inSession = result?.consent?.grantId ?? session!.grantIdFor(clientId);
  const existing = inSession ? await provider.Grant.find(inSession) : undefined;
  const accountId = session!.accountId;
  if (accountId && (isFirstParty(clientId) || skipsConsent(ctx.oidc)))
    return extendGrant(existing ?? new provider.Grant({ accountId, clientId }), ctx.oidc, isFirstParty(clientId));
  if (inSession || !accountId) return existing;
  const consent = await readConsent(records, accountId, clientId);
  if (!consent) return undefined;
  // One grant for each session: ending one session does not affect the others.
  const grant = new provider.Grant({ accountId, clientId });
  Object.assign(grant, consent);
  await grant.save();
  return grant;
}
