// A sign-in at a provider: begun here, done there, finished when the browser returns with a code.
import { type Clock, seconds } from '../../../platform/clock.ts';
import { newSecret } from '../../../platform/ids.ts';
import {
  type AuthorizationFlow,
  type Provider,
  type ProviderGrant,
  providerErrorOf,
} from '../../../platform/openid-client/index.ts';
import type { Database, OpenidProviderRow } from '../../ground/database/index.ts';
import { Fault, fail, fault } from '../../ground/faults.ts';
import { refuse } from './account-choice.rules.ts';
import { OPENID, type ProviderAssertion, type ServedProtocol } from './assertion.ts';
import { optionsOf } from './client-options.ts';
import {
  findByEmailDomain,
  findOpenidSettings,
  findUsableProvider,
  listUsableProviders,
  type UsableProvider,
} from './openid-settings.store.ts';
import type { ProviderClients } from './provider-clients.ts';
import type { ReturnedAnswer } from './provider-messages.rules.ts';
import { findTrustedProvider } from './wallet-settings.store.ts';

export const FLOW_SECONDS = 600;
/** On the sign-in page. */
const MAX_OFFERED = 100;
const DOMAIN = /^[a-z0-9.-]{1,253}$/;
/** The characters of an OAuth error (RFC 6749, 4.1.2.1). Anything else is not repeated. */
const OAUTH_ERROR = /^[\x20\x21\x23-\x5b\x5d-\x7e]{1,100}$/;

/** A sign-in that has begun. It is stored with the interaction it belongs to, and never leaves the service. */
export interface ProviderFlow extends AuthorizationFlow {
  readonly providerId: string;
  /** The version of the settings: an answer is not checked with others. */
  readonly version: number;
  readonly begunAt: number;
  /** The person had to authenticate, even if the provider knew them. */
  readonly again: boolean;
}

export interface FlowOptions {
  /** Part of the state: the interaction that the answer belongs to. */
  readonly interaction: string;
  readonly loginHint?: string | undefined;
  /** The person has to authenticate, even if the provider knows them. */
  readonly again?: boolean;
}

/** Only a slash at the end may differ. */
const withoutSlash = (issuer: string): string => (issuer.endsWith('/') ? issuer.slice(0, -1) : issuer);

/** The interaction of a state, which is `interaction.secret`. */
export const interactionOf = (state: string): string | undefined => /^([\w-]{10,64})\.[\w-]{43}$/.exec(state)?.[1];

export interface OfferedProviders {
  readonly buttons: readonly { readonly id: string; readonly name: string }[];
  /** There are others, found by the domain of an e-mail address. */
  readonly byEmail: boolean;
}

const refused = (why: string): Fault => {
  const word = OAUTH_ERROR.test(why) ? why : 'invalid_response';
  return fault('identity_provider.refused', { why: word }, { reason: `provider: ${word}` });
};

/** What a request to the provider came to. */
const failed =
  (what: string) =>
  (problem: unknown): never => {
    const refusal = problem instanceof Fault ? undefined : providerErrorOf(problem);
    if (refusal !== undefined) throw refused(refusal);
    if (problem instanceof Fault) throw problem;
    return fail('identity_provider.unavailable', undefined, { reason: `${what}: ${(problem as Error).message}` });
  };

type AskedMore = Parameters<Provider['authorizationUrl']>[1];

export interface ProviderFlowDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly config: { readonly freshLoginSeconds: number };
  readonly clientOf: ProviderClients;
}

export function createProviderFlows({ db, clock, config, clientOf }: ProviderFlowDeps) {
  const find = (id: string): Promise<UsableProvider | undefined> => findUsableProvider(db.read, OPENID, id);

  async function redeem(
    row: OpenidProviderRow,
    { answer: returned, mode }: ReturnedAnswer,
    flow: AuthorizationFlow,
  ): Promise<ProviderGrant> {
    // What was to be posted is in no address: somebody else made this one.
    if (mode !== optionsOf(row).response_mode) throw refused('invalid_response');
    const error = returned.get('error');
    if (error !== null) throw refused(error);
    return clientOf(row).provider.redeem(returned, flow).catch(failed('redeem'));
  }

  /** Where the browser goes. The provider may have been asked before, and may have refused. */
  const addressOf = (row: OpenidProviderRow, flow: AuthorizationFlow, more: AskedMore): Promise<string> =>
    clientOf(row).provider.authorizationUrl(flow, more).catch(failed('authorize'));

  return {
    /** Exchanges a code. Fails with what the provider answered. */
    redeem,
    addressOf,

    async offered(): Promise<OfferedProviders> {
      const rows = await listUsableProviders(db.read, OPENID, MAX_OFFERED);
      return {
        buttons: rows.flatMap(({ provider_id: id, button_name: name }) => (name === null ? [] : [{ id, name }])),
        // Of more than these, some may be found by e-mail only.
        byEmail: rows.length === MAX_OFFERED || rows.some(({ email_domains: domains }) => domains !== '[]'),
      };
    },

    isUsable: async (id: string): Promise<boolean> => (await find(id)) !== undefined,

    /** Whether a sign-in may be begun elsewhere, in the name of this provider. */
    async acceptsInitiated(id: string, issuer: string): Promise<boolean> {
      const row = await find(id);
      return row?.accepts_initiated_login === 1 && withoutSlash(row.issuer) === withoutSlash(issuer);
    },

    /** The provider of the domain of an address. */
    async findByEmail(address: string): Promise<string | undefined> {
      const domain = address
        .slice(address.lastIndexOf('@') + 1)
        .trim()
        .toLowerCase();
      if (!address.includes('@') || !DOMAIN.test(domain)) return undefined;
      return (await findByEmailDomain(db.read, OPENID, domain))?.provider_id;
    },

    /** How the person knows the provider. */
    nameOf: async (id: string, protocol: ServedProtocol): Promise<string> =>
      (await findTrustedProvider(db.read, protocol, id))?.button_name ?? id,

    /** Fails when the provider cannot be used now. */
    async begin(providerId: string, options: FlowOptions): Promise<{ flow: ProviderFlow; url: string }> {
      const row = (await find(providerId)) ?? fail('identity_provider.not_found', { id: providerId });
      const { provider } = clientOf(row);
      const flow: ProviderFlow = {
        ...provider.newFlow(),
        state: `${options.interaction}.${newSecret()}`,
        providerId,
        version: row.version,
        begunAt: clock.now(),
        again: options.again ?? false,
      };
      // With max_age, the provider must say when the person authenticated (OpenID Connect Core 1.0, 3.1.2.1).
      const more = options.again ? { prompt: 'login', maxAge: 0 } : {};
      return { flow, url: await addressOf(row, flow, { ...more, loginHint: options.loginHint }) };
    },

    /** Whether the provider was asked to have its answers posted. */
    isPosted: async (id: string): Promise<boolean> => {
      const row = await findOpenidSettings(db.read, id);
      return row !== undefined && optionsOf(row).response_mode === 'form_post';
    },

    /** Whether an answer belongs to this flow. */
    isAnswerTo(flow: ProviderFlow | undefined, providerId: string | null, state: string | null): flow is ProviderFlow {
      const isRecent = flow !== undefined && clock.now() - flow.begunAt <= FLOW_SECONDS * 1000;
      return isRecent && state !== null && flow.state === state && flow.providerId === providerId;
    },

    /** Exchanges the code of an answer. The library checks state, issuer, nonce, signature, audience and times. */
    async finish(flow: ProviderFlow, returned: ReturnedAnswer): Promise<ProviderAssertion> {
      const row = await find(flow.providerId);
      if (row?.version !== flow.version) return refuse('settings_changed');
      const { issuer, subject, claims, sid, idToken, refreshToken, expiresAt } = await redeem(row, returned, flow);
      const { providerId, version } = flow;
      const grant = { issuer, subject, claims, sid, idToken, refreshToken, expiresAt };
      return { providerId, protocol: OPENID, version, ...grant, at: clock.now(), beginsSession: true };
    },

    /**
     * When the person authenticated at the provider (seconds); never in the future. If the provider does not say, it may have been long ago:
     * too long for changes that need a fresh login. That it was told to ask proves nothing: whoever sits at the browser can take that out
     * of the request. Nor does `iat`, the time of the token. So a sign-in that had to be a new one is refused then.
     */
    authTimeOf({ claims }: ProviderAssertion, { again }: ProviderFlow): number {
      const { auth_time: at } = claims;
      const now = seconds(clock);
      if (typeof at === 'number' && Number.isFinite(at) && at > 0) return Math.min(Math.floor(at), now);
      if (again) refuse('time_unknown');
      return now - config.freshLoginSeconds - 1;
    },
  };
}

export type ProviderFlows = ReturnType<typeof createProviderFlows>;
