// Additional prompts: to sign in again, or to allow a resource.
import type { interactionPolicy, KoaContextWithOIDC } from 'oidc-provider';
import type { OidcProviderLibrary } from '../library.ts';
import { resourcesNotAllowed } from '../resources.ts';

type PromptCheck = interactionPolicy.Check;

const SIGN_IN = ['End-User authentication is required', 'login_required'] as const;

/** A session that is too old requires the password again, even if it is in use. */
function sessionTooOld({ interactionPolicy: { Check } }: OidcProviderLibrary, sessionSeconds: number): PromptCheck {
  return new Check('session_too_old', ...SIGN_IN, ({ oidc }) => {
    const tooOld = oidc.session?.accountId && oidc.session.past(sessionSeconds) && !oidc.result?.login;
    return tooOld ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT;
  });
}

/** The account or its domain was disabled during the session. */
function accountDisabled({ interactionPolicy: { Check } }: OidcProviderLibrary): PromptCheck {
  return new Check('account_closed', ...SIGN_IN, ({ oidc }) =>
    oidc.session?.accountId && !oidc.account ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
  );
}

/** A person must allow each resource, by its address. First-party applications need no consent. */
function resourceNotAllowed(
  { interactionPolicy: { Check } }: OidcProviderLibrary,
  isFirstParty: (clientId: string) => boolean,
): PromptCheck {
  const missing = ({ oidc }: KoaContextWithOIDC): string[] =>
    isFirstParty(oidc.client!.clientId) ? [] : resourcesNotAllowed(oidc.entities.Grant!, Object.keys(oidc.resourceServers ?? {}));
  return new Check(
    'resource_not_allowed',
    'requested resource not granted',
    'consent_required',
    (ctx) => (missing(ctx).length > 0 ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT),
    (ctx) => ({ missingResources: missing(ctx) }),
  );
}

export function promptsOf(
  library: OidcProviderLibrary,
  { sessionSeconds, isFirstParty }: { readonly sessionSeconds: number; isFirstParty(clientId: string): boolean },
) {
  const policy = library.interactionPolicy.base();
  const { checks } = policy.get('login')!;
  checks.add(sessionTooOld(library, sessionSeconds));
  checks.add(accountDisabled(library));
  policy.get('consent')!.checks.add(resourceNotAllowed(library, isFirstParty));
  return policy;
}
