// When a person is asked, beyond what the library asks for itself: to sign in again, or to allow a resource.
import type { interactionPolicy, KoaContextWithOIDC } from 'oidc-provider';
import { notAllowed } from '../resources.ts';

type Library = typeof import('oidc-provider');
type Check = interactionPolicy.Check;

const SIGN_IN = ['End-User authentication is required', 'login_required'] as const;

/** A session that is too old asks for the password again, however much it was used. */
function sessionTooOld({ interactionPolicy: { Check } }: Library, sessionSeconds: number): Check {
  return new Check('session_too_old', ...SIGN_IN, ({ oidc }) => {
    const tooOld = oidc.session?.accountId && oidc.session.past(sessionSeconds) && !oidc.result?.login;
    return tooOld ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT;
  });
}

/** Disabled since, or of a domain that is: the session is worth nothing. */
function accountClosed({ interactionPolicy: { Check } }: Library): Check {
  return new Check('account_closed', ...SIGN_IN, ({ oidc }) =>
    oidc.session?.accountId && !oidc.account ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
  );
}

/** A resource is used in a person's name only after they saw its address; own applications are not asked about. */
function resourceNotAllowed({ interactionPolicy: { Check } }: Library, isOwn: (clientId: string) => boolean): Check {
  const missing = ({ oidc }: KoaContextWithOIDC): string[] =>
    isOwn(oidc.client!.clientId) ? [] : notAllowed(oidc.entities.Grant!, Object.keys(oidc.resourceServers ?? {}));
  return new Check(
    'resource_not_allowed',
    'requested resource not granted',
    'consent_required',
    (ctx) => (missing(ctx).length > 0 ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT),
    (ctx) => ({ missingResources: missing(ctx) }),
  );
}

export function promptsOf(
  library: Library,
  { sessionSeconds, isOwn }: { readonly sessionSeconds: number; isOwn(clientId: string): boolean },
) {
  const policy = library.interactionPolicy.base();
  const { checks } = policy.get('login')!;
  checks.add(sessionTooOld(library, sessionSeconds));
  checks.add(accountClosed(library));
  policy.get('consent')!.checks.add(resourceNotAllowed(library, isOwn));
  return policy;
}
