// The account of a person whom a provider vouches for: the linked one, one that is linked by a trusted address or by proof, or a new one.
import { createHash } from 'node:crypto';
import { type Clock, seconds } from '../../../platform/clock.ts';
import { isUniqueViolation } from '../../../platform/database/index.ts';
import { newId } from '../../../platform/ids.ts';
import { tagOf } from '../../access/context/index.ts';
import type { Users } from '../../directory/users/index.ts';
import type { Actor, Change, RunChange } from '../../ground/audit/index.ts';
import type { Database, ProviderLinkRow, Tx } from '../../ground/database/index.ts';
import { Fault, fail } from '../../ground/faults.ts';
import type { Notify } from '../../ground/notifications/index.ts';
import { bit } from '../../ground/resource/index.ts';
import { testPoint } from '../../ground/test-points.ts';
import {
  type AccountToLink,
  type Choice,
  createAccountChoice,
  inScope,
  type LoginContext,
  refuse,
} from './account-choice.rules.ts';
import type { ApiSessions } from './api-sessions.rules.ts';
import { identityOf, labelOf, OPENID4VP, type ProviderAssertion } from './assertion.ts';
import { type EntitlementRules, NO_ENTITLEMENTS } from './entitlements.rules.ts';
import { holdIdentityProvider } from './identity-providers.store.ts';
import { findLink, findLinkOfUser, insertLink, updateLink } from './links.store.ts';
import type { MappedIdentity } from './mapping/index.ts';
import type { TrustedProvider } from './openid-settings.store.ts';
import type { ProviderSessions } from './provider-sessions.rules.ts';
import { findTrustedProvider } from './wallet-settings.store.ts';

export interface ProviderLoginDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly change: RunChange;
  readonly users: Pick<Users, 'insert' | 'isInDirectory' | 'lock' | 'mayBeFromProvider'>;
  readonly entitlements: EntitlementRules;
  readonly sessions: ProviderSessions;
  readonly apiSessions: Pick<ApiSessions, 'begin' | 'wasSignedOut'>;
  readonly notify: Notify;
  /** Whether people of this domain may sign in with a wallet. */
  hasWallets(tx: Tx, domainId: string): Promise<boolean>;
  /** An account that was there before is linked. */
  onLinked(change: Change, about: { readonly userId: string; readonly provider: string }): Promise<void>;
}

/** A person who is known here now. */
export interface ProviderLogin {
  readonly kind: 'account';
  readonly userId: string;
  readonly linkId: string;
  /** The session that the sign-in begins: `bind` it when the session here has begun; at the API, tokens name it. None for a person who signed in here. */
  readonly providerSession: string | undefined;
}

/** It is not known which account is theirs. */
export interface UnknownPerson {
  readonly kind: 'unknown';
  /** A new account may be made for them. */
  readonly mayCreate: boolean;
}

const CHANGED = 'settings_changed';

interface PreparedLogin {
  readonly provider: TrustedProvider;
  readonly identity: MappedIdentity;
}

/** Whether the mapping makes the same of everybody. */
const isSameMapping = (one: TrustedProvider, other: TrustedProvider): boolean =>
  one.rules === other.rules && one.schema_version === other.schema_version;

/** Differs from person to person, and stays the same for each. */
const suffixOf = ({ issuer, subject }: ProviderAssertion): string =>
  `-${createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')
    .slice(0, 6)}`;

const isTaken = (error: unknown): boolean =>
  error instanceof Fault && (error.code === 'resource.duplicate' || error.code === 'user.name_alike');

export function createProviderLogins(deps: ProviderLoginDeps) {
  const { db, clock, change, users, entitlements, sessions, apiSessions, notify, hasWallets, onLinked } = deps;
  const { accountToLink } = createAccountChoice(deps);

  async function link(login: LoginContext, { userId, byAddress, isNew }: AccountToLink): Promise<ProviderLinkRow> {
    const { transaction, assertion, provider } = login;
    const row: ProviderLinkRow = {
      id: newId(),
      provider_id: assertion.providerId,
      issuer: assertion.issuer,
      subject: assertion.subject,
      protocol_id: assertion.protocol,
      user_id: userId,
      label: labelOf(assertion),
      given: JSON.stringify(NO_ENTITLEMENTS),
      by_address: bit(byAddress),
      created_at: seconds(clock),
      last_used_at: null,
    };
    await insertLink(transaction.tx, row);
    transaction.invalidate(tagOf.user(userId));
    const detail = { identity_provider_id: row.provider_id, link_id: row.id };
    transaction.audit('user.provider_linked', { kind: 'user', id: userId }, detail);
    await notify(transaction, 'provider.linked', userId);
    if (!isNew) await onLinked(transaction, { userId, provider: provider.button_name ?? provider.provider_id });
    return row;
  }

  /** Groups and roles are those of this sign-in. */
  async function enter(login: LoginContext, row: ProviderLinkRow, { kind }: Choice): Promise<ProviderLogin> {
    const { transaction, provider, assertion, identity } = login;
    const user = (await users.lock(transaction.tx, row.user_id)) ?? refuse('account_deleted');
    // Read again: another sign-in may have given something since, which would never be taken back.
    const link = (await findLinkOfUser(transaction.tx, user.id, row.id)) ?? refuse('account_deleted');
    if (!inScope(login, user.domain_id)) refuse('other_domain');
    // Nobody is connected, and nothing given, by a sign-in that would be refused after it.
    if (assertion.protocol === OPENID4VP && !(await hasWallets(transaction.tx, user.domain_id))) refuse('other_domain');
    // They may have chosen an account for minutes since.
    if (assertion.beginsSession && kind !== 'link' && (await apiSessions.wasSignedOut(transaction, assertion)))
      refuse('signed_out');
    const now = await entitlements.give(transaction, provider, user, identity, link);
    await updateLink(transaction.tx, row.id, {
      given: JSON.stringify(now),
      label: labelOf(assertion),
      by_address: kind === 'link' ? 0 : link.by_address,
      last_used_at: seconds(clock),
    });
    transaction.invalidate(tagOf.providerLink(row.id));
    const { begin } = assertion.beginsSession ? sessions : apiSessions;
    const providerSession = kind === 'link' ? undefined : await begin(transaction, row.id, assertion);
    const detail = { identity_provider_id: row.provider_id, link_id: row.id };
    transaction.audit('user.provider_vouched', { kind: 'user', id: user.id }, detail);
    return { kind: 'account', userId: user.id, linkId: row.id, providerSession };
  }

  /** Before the transaction, because a mapping can take some time. */
  async function prepare(assertion: ProviderAssertion): Promise<PreparedLogin> {
    const provider = await findTrustedProvider(db.read, assertion.protocol, assertion.providerId);
    if (provider?.version !== assertion.version) return refuse(CHANGED);
    const identity = identityOf(provider, assertion);
    return identity.refusal ? refuse('mapping_refused') : { provider, identity };
  }

  async function run(
    transaction: Change,
    assertion: ProviderAssertion,
    prepared: PreparedLogin,
    choice: Choice,
  ): Promise<ProviderLogin | UnknownPerson> {
    const { identity } = prepared;
    // Read again, so that a provider that was just disabled or changed lets nobody in. It is held, so that it is not changed meanwhile:
    // what the change takes back would be given after it.
    await holdIdentityProvider(db, transaction.tx, assertion.providerId);
    const provider = await findTrustedProvider(transaction.tx, assertion.protocol, assertion.providerId);
    if (provider?.version !== assertion.version || !isSameMapping(provider, prepared.provider)) return refuse(CHANGED);
    // Not by the actor of the change, who would be locked before the provider.
    if (choice.kind === 'link' && (await users.lock(transaction.tx, choice.userId))?.epoch !== choice.epoch)
      fail('auth.required', undefined, { reason: 'the user changed since they were checked' });
    const login: LoginContext = { transaction, provider, assertion, identity };
    const known = await findLink(transaction.tx, assertion);
    await testPoint('provider-login.in-transaction');
    if (known && choice.kind === 'link' && known.user_id !== choice.userId) refuse('other_account');
    const isDoubtful = known && choice.kind !== 'link' && (await entitlements.needsProof(transaction.tx, provider, known));
    if (known && !isDoubtful) return enter(login, known, choice);
    const account = known ? undefined : await accountToLink(login, choice);
    if (account) return enter(login, await link(login, account), choice);
    const detail = known ? { link_id: known.id } : {};
    transaction.audit('identity_provider.person_unknown', { kind: 'identity_provider', id: provider.provider_id }, detail);
    return { kind: 'unknown', mayCreate: !known && identity.user.type !== 'local' };
  }

  /** Of two sign-ins at the same time, the second finds the link of the first. */
  async function attempt(actor: Actor, assertion: ProviderAssertion, choice: Choice): Promise<ProviderLogin | UnknownPerson> {
    const prepared = await prepare(assertion);
    await testPoint('provider-login.before-transaction');
    const once = () => change(actor, (transaction) => run(transaction, assertion, prepared, choice));
    return once().catch((error: unknown) => {
      if (!isUniqueViolation(error)) throw error;
      return once();
    });
  }

  async function known(actor: Actor, assertion: ProviderAssertion, choice: Choice): Promise<ProviderLogin> {
    const found = await attempt(actor, assertion, choice);
    return found.kind === 'account' ? found : refuse('no_account');
  }

  return {
    /** How the account page names the account at the provider. */
    labelOf,

    /** The account of a person who returns from a provider, if it is known or a trusted address decides. */
    async find(requestId: string, assertion: ProviderAssertion): Promise<ProviderLogin | UnknownPerson> {
      const actor = { userId: null, requestId };
      return attempt(actor, assertion, { kind: 'none' }).catch((error: unknown) => {
        // The trusted person gets a new account, but its name is somebody else's.
        if (!isTaken(error)) throw error;
        return attempt(actor, assertion, { kind: 'new', suffix: suffixOf(assertion) });
      });
    },

    /** A new account. A name that is taken gets an addition, so that nobody learns names by trying. */
    async create(requestId: string, assertion: ProviderAssertion): Promise<ProviderLogin> {
      const actor = { userId: null, requestId };
      return known(actor, assertion, { kind: 'new', suffix: '' }).catch((error: unknown) => {
        if (!isTaken(error)) throw error;
        return known(actor, assertion, { kind: 'new', suffix: suffixOf(assertion) });
      });
    },

    /** The person proved that the account is theirs. `epoch`: of the account when it was proved. */
    link: (
      { requestId, userId, epoch }: { readonly requestId: string; readonly userId: string; readonly epoch: number },
      assertion: ProviderAssertion,
    ): Promise<ProviderLogin> => known({ userId, requestId }, assertion, { kind: 'link', userId, epoch }),
  };
}

export type ProviderLogins = ReturnType<typeof createProviderLogins>;
