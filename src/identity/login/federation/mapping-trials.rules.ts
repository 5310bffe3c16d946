// What a mapping makes of claims: who the person would be here, their groups and roles, and what they do not get. Nobody is signed in by it, and
// nothing is written.
import type { Users } from '../../directory/users/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { Fault, fail } from '../../ground/faults.ts';
import { createAccountChoice, type ForeseenAccount, inScope } from './account-choice.rules.ts';
import { identityOf, OPENID, OPENID4VP, type ProviderAssertion } from './assertion.ts';
import type { EntitlementRules, JudgedGroup, JudgedRole } from './entitlements.rules.ts';
import { findLink } from './links.store.ts';
import { DEFAULT_SCHEMA_VERSION, type MappedIdentity, validateMapping } from './mapping/index.ts';
import type { TrustedProvider } from './openid-settings.store.ts';
import { findTriedProvider, findTriedWalletProvider, nameOfUser } from './sign-in-providers.store.ts';

export interface TrialRequest {
  readonly claims: Readonly<Record<string, unknown>>;
  /** Those of the provider, if not given. */
  readonly rules?: readonly unknown[] | undefined;
  readonly schema_version?: string | undefined;
  /** As the provider writes it. */
  readonly issuer?: string | undefined;
}

export interface TrialResult {
  /** Null: the person would get in. */
  readonly refusal: { readonly code: string; readonly why: string } | null;
  readonly user: {
    readonly kind: 'linked' | ForeseenAccount['kind'];
    readonly id: string | null;
    readonly name: string | null;
    readonly email: string | null;
    readonly domain_id: string;
  } | null;
  readonly groups: readonly JudgedGroup[];
  readonly roles: readonly JudgedRole[];
}

const refused = (code: string, why: string): TrialResult => ({ refusal: { code, why }, user: null, groups: [], roles: [] });

export interface MappingTrialDeps {
  readonly db: Database;
  readonly users: Pick<Users, 'insert' | 'isInDirectory' | 'lock' | 'mayBeFromProvider'>;
  readonly entitlements: EntitlementRules;
}

export function createMappingTrials(deps: MappingTrialDeps) {
  const { db, entitlements } = deps;
  const { foresee } = createAccountChoice(deps);

  async function judge(provider: TrustedProvider, identity: MappedIdentity, assertion: ProviderAssertion): Promise<TrialResult> {
    // The account of an address is looked at as a sign-in does it, with the row locked.
    return db.write(async (tx) => {
      const link = await findLink(tx, assertion);
      const linked = link && (await nameOfUser(tx, link.user_id));
      if (linked && !inScope({ provider }, linked.domain_id)) return refused('other_domain', 'other_domain');
      const account: ForeseenAccount | undefined = linked
        ? undefined
        : await foresee({ transaction: { tx }, provider, identity, assertion });
      const domainId = linked?.domain_id ?? account!.domainId;
      const known = linked ?? (account?.kind === 'address' ? await nameOfUser(tx, account.userId) : undefined);
      const made = account && 'name' in account ? account : undefined;
      return {
        refusal: null,
        user: {
          kind: account?.kind ?? 'linked',
          id: known?.id ?? null,
          name: known?.name ?? made?.name ?? null,
          email: made?.email ?? null,
          domain_id: domainId,
        },
        groups: await entitlements.judgeGroups(tx, provider, domainId, identity),
        roles: await entitlements.judgeRoles(tx, provider, domainId, identity),
      };
    });
  }

  return async (providerId: string, { claims, rules, schema_version, issuer }: TrialRequest): Promise<TrialResult> => {
    const openid = await findTriedProvider(db.read, providerId);
    const settings =
      openid ?? (await findTriedWalletProvider(db.read, providerId)) ?? fail('openid_provider.not_found', { id: providerId });
    const text = rules === undefined ? settings.rules : JSON.stringify(rules);
    if (text === null) return refused('no_mapping', 'the provider has no mapping');
    const version = schema_version ?? (rules === undefined ? settings.schema_version : undefined) ?? DEFAULT_SCHEMA_VERSION;
    const { problems } = validateMapping(JSON.parse(text), version);
    if (problems) fail('mapping.invalid', { why: problems.map(({ place, why }) => `${place}: ${why}`).join('; ') });
    const provider: TrustedProvider = { ...settings, rules: text, schema_version: version };
    const assertion: ProviderAssertion = {
      providerId,
      protocol: openid ? OPENID : OPENID4VP,
      version: settings.version,
      issuer: issuer ?? openid?.issuer ?? '',
      subject: typeof claims.sub === 'string' ? claims.sub : '',
      claims,
      sid: undefined,
      idToken: '',
      refreshToken: undefined,
      expiresAt: undefined,
      at: 0,
      beginsSession: false,
    };
    const identity = identityOf(provider, assertion);
    if (identity.refusal) {
      const { why, code = 'mapping_refused' } = identity.refusal as { why: string; code?: string };
      return refused(code, why);
    }
    try {
      return await judge(provider, identity, assertion);
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'identity_provider.no_entry') throw error;
      const why = String(error.values.why);
      return refused(why, why);
    }
  };
}

export type MappingTrials = ReturnType<typeof createMappingTrials>;
