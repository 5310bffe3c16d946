// Additional prompts: to sign in again, or to allow a resource.
import type { interactionPolicy, KoaContextWithOIDC } from 'oidc-provider';
import type { FreshLogin } from '../../../access/rules/index.ts';
import type { ClientRegistration } from '../../../applications/client-registration/index.ts';
import { SKIP_CONSENT } from '../../../applications/consumers/index.ts';
import type { Federation } from '../../../login/federation/index.ts';
import type { Records } from '../../records/index.ts';
import { acrRequestOf, FEDERATED, satisfies } from '../acr.ts';
import { SELF_REGISTERED } from '../clients.ts';
import { asksForCredentials, credentialsNotAgreed, offeredToAnother, signInTooOld } from '../credential-requests.ts';
import { isForDevice } from '../device-routes.ts';
import type { OidcProviderLibrary } from '../library.ts';
import { resourcesNotAllowed } from '../resources.ts';
import { begunWeaker } from './profiles.ts';

type PromptCheck = interactionPolicy.Check;

const SIGN_IN = ['End-User authentication is required', 'login_required'] as const;

/** A session that is too old requires the password again, even if it is in use. */
function sessionTooOld(
  { interactionPolicy: { Check } }: OidcProviderLibrary,
  { lifetimesOf }: Pick<Records, 'lifetimesOf'>,
): PromptCheck {
  return new Check('session_too_old', ...SIGN_IN, ({ oidc }) => {
    const { accountId } = oidc.session ?? {};
    const tooOld = accountId && oidc.session!.past(lifetimesOf(accountId).sessionSeconds) && !oidc.result?.login;
    return tooOld ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT;
  });
}

/** The account or its domain was disabled during the session. */
function accountDisabled({ interactionPolicy: { Check } }: OidcProviderLibrary): PromptCheck {
  return new Check('account_closed', ...SIGN_IN, ({ oidc }) =>
    oidc.session?.accountId && !oidc.account ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
  );
}

/** An application lost a scope since it asked for it: what a person has begun with it is not finished. */
function scopeTakenAway({ interactionPolicy: { Check }, errors }: OidcProviderLibrary): PromptCheck {
  return new Check('scope_taken_away', 'requested scope is not allowed', 'invalid_scope', ({ oidc }) => {
    const allowed = oidc.client?.scope?.split(' ');
    const taken = allowed && [...oidc.requestParamOIDCScopes].find((scope) => !allowed.includes(scope));
    if (taken !== undefined) throw new errors.InvalidScope('requested scope is not allowed', taken);
    return Check.NO_NEED_TO_PROMPT;
  });
}

/** What was skipped in a browser is in the grant, and nobody has agreed to it for a device. */
function deviceNotAllowed({ interactionPolicy: { Check } }: OidcProviderLibrary): PromptCheck {
  return new Check('device_not_allowed', 'consent is not skipped for a device', 'consent_required', ({ oidc }) => {
    const isAsked = oidc.client?.[SKIP_CONSENT] === true && isForDevice(oidc.route) && !oidc.result?.consent;
    return isAsked ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT;
  });
}

/** A person must allow each API, and it must be as it was then. First-party applications need no consent. */
function resourceNotAllowed(
  { interactionPolicy: { Check } }: OidcProviderLibrary,
  isFirstParty: (clientId: string) => boolean,
): PromptCheck {
  const missing = ({ oidc }: KoaContextWithOIDC): Record<string, string> =>
    isFirstParty(oidc.client!.clientId) ? {} : resourcesNotAllowed(oidc, oidc.entities.Grant!);
  return new Check(
    'resource_not_allowed',
    'requested resource not granted',
    'consent_required',
    (ctx) => (Object.keys(missing(ctx)).length > 0 ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT),
    (ctx) => ({ missingResources: missing(ctx) }),
  );
}

/**
 * A session that began through another provider lasts as long as that provider lets it. A new one is noted as soon as it has an id, so
 * that the provider can end it.
 */
function providerSessionOver(
  { interactionPolicy: { Check } }: OidcProviderLibrary,
  { providerSessions }: PromptDeps,
): PromptCheck {
  return new Check('provider_session_over', ...SIGN_IN, async ({ oidc }) => {
    const { session, result } = oidc;
    if (!session?.accountId || !session.amr?.includes(FEDERATED)) return Check.NO_NEED_TO_PROMPT;
    const { providerSession } = (result?.login ?? {}) as { providerSession?: string };
    const isLive =
      providerSession === undefined
        ? await providerSessions.isLive(session.uid)
        : await providerSessions.bind(providerSession, session.uid);
    return isLive ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT;
  });
}

/** Why a person who is signed in is asked for more. Only what is missing is asked for. */
export const STRONGER_SIGN_IN = 'stronger_sign_in';

/**
 * The policy asks for a passkey, or the application asks for a stronger sign-in and the person can do it. `acr_values` is a wish (OpenID
 * Connect Core, 3.1.2.1): who cannot, or has just done what they could, goes on, and the ID token says how they signed in. An essential
 * claim `acr` is a condition: then the sign-in fails (5.5.1.1).
 */
function strongerSignIn({ interactionPolicy: { Check }, errors }: OidcProviderLibrary, { needsMore }: PromptDeps): PromptCheck {
  return new Check(STRONGER_SIGN_IN, ...SIGN_IN, async ({ oidc }) => {
    const { session, result, params } = oidc;
    const willSignIn = oidc.prompts.has('login') && !result?.login;
    if (!session?.accountId || willSignIn) return Check.NO_NEED_TO_PROMPT;
    const amr = session.amr ?? [];
    const { values, isEssential } = acrRequestOf(params);
    if (!result?.login && (await needsMore(session.accountId, amr, values))) return Check.REQUEST_PROMPT;
    if (isEssential && !satisfies(amr, values))
      throw new errors.UnmetAuthenticationRequirements('requested ACR could not be obtained');
    return Check.NO_NEED_TO_PROMPT;
  });
}

/** An application whose client id is a document, before anybody has allowed it something. */
const NOT_STORED = {
  registered_by: 'document',
  registration_domain_id: null,
  registration_expires_at: Number.POSITIVE_INFINITY,
} as const;

/** An application that registered itself is for the people whose domain lets it in, as its policy is now. Nobody vouches for it. */
function notForPerson(
  { interactionPolicy: { Check }, errors }: OidcProviderLibrary,
  { records, clientRegistration }: PromptDeps,
): PromptCheck {
  return new Check('not_for_person', 'the application is not for this person', 'access_denied', async ({ oidc }) => {
    const { client, session, params, prompts, result } = oidc;
    const row = records.consumerOf(client!.clientId) ?? (client![SELF_REGISTERED] === 'document' ? NOT_STORED : undefined);
    // Kept ones, too, are for the people of their domain.
    if (!row || row.registered_by === null) return Check.NO_NEED_TO_PROMPT;
    if (client![SELF_REGISTERED] !== undefined && asksForCredentials(params))
      throw new errors.AccessDenied('credentials are not issued to applications that registered themselves');
    const willSignIn = prompts.has('login') && !result?.login;
    if (!session?.accountId || willSignIn) return Check.NO_NEED_TO_PROMPT;
    const redirectUri = params?.redirect_uri as string | undefined;
    const scopes = oidc.requestParamOIDCScopes;
    const why = await clientRegistration.refusal(row, session.accountId, { redirectUri, scopes });
    if (why !== undefined) throw new errors.AccessDenied(why);
    return Check.NO_NEED_TO_PROMPT;
  });
}

/**
 * Whoever can act as an application that nobody vouches for (another program on the machine of the person can) gets nothing without the
 * person (RFC 8252, 8.6): a consent counts once.
 */
function strangerNotAllowed({ interactionPolicy: { Check } }: OidcProviderLibrary): PromptCheck {
  return new Check('stranger_not_allowed', 'nobody vouches for the application', 'consent_required', ({ oidc }) =>
    oidc.client?.[SELF_REGISTERED] !== undefined && !oidc.result?.consent ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
  );
}

export interface PromptDeps {
  readonly records: Records;
  readonly freshLogin: Pick<FreshLogin, 'isFresh'>;
  isFirstParty(clientId: string): boolean;
  readonly clientRegistration: Pick<ClientRegistration, 'refusal'>;
  readonly providerSessions: Pick<Federation['sessions'], 'isLive' | 'bind'>;
  /** Whether a person who is signed in by these means (`amr`) is asked for others. `requested`: of `acr_values`. */
  needsMore(accountId: string, amr: readonly string[], requested: readonly string[]): Promise<boolean>;
}

export function promptsOf(library: OidcProviderLibrary, deps: PromptDeps) {
  const { records, isFirstParty } = deps;
  const policy = library.interactionPolicy.base();
  const { checks } = policy.get('login')!;
  // Replaced by ours: theirs know no order of values, and ask again and again.
  for (const reason of ['essential_acr', 'essential_acrs']) checks.remove(reason);
  checks.add(scopeTakenAway(library));
  checks.add(begunWeaker(library));
  checks.add(sessionTooOld(library, records));
  checks.add(accountDisabled(library));
  checks.add(providerSessionOver(library, deps));
  checks.add(strongerSignIn(library, deps));
  checks.add(offeredToAnother(library, deps));
  checks.add(signInTooOld(library, deps));
  checks.add(notForPerson(library, deps));
  policy.get('consent')!.checks.add(strangerNotAllowed(library));
  policy.get('consent')!.checks.add(deviceNotAllowed(library));
  policy.get('consent')!.checks.add(resourceNotAllowed(library, isFirstParty));
  policy.get('consent')!.checks.add(credentialsNotAgreed(library));
  return policy;
}
