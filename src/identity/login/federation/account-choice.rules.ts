// Which account a person gets who is not linked yet: one with a trusted address, one they proved, or a new one.

import {
  isEmailConfirmed,
  isLikeAddress,
  isMainEmail,
  nameKey,
  type Users,
  usersWithConfirmedEmail,
  withoutAddress,
} from '../../directory/users/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { UserRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { domainOfAddress, emailOf, type ProviderAssertion } from './assertion.ts';
import type { EntitlementRules } from './entitlements.rules.ts';
import { linkedProviderIds, usersWithEmail } from './links.store.ts';
import type { MappedIdentity } from './mapping/index.ts';
import type { TrustedProvider } from './openid-settings.store.ts';

/** Longer names would not be accepted from an administrator either. */
const MAX_NAME = 255;

/** So many accounts with one address are read. */
const MAX_ACCOUNTS = 10;

/** What the person chose, when their account was not known. */
export type Choice =
  | { readonly kind: 'none' }
  | { readonly kind: 'new'; readonly suffix: string }
  /** `epoch`: of the account when the person proved that it is theirs. */
  | { readonly kind: 'link'; readonly userId: string; readonly epoch: number };

export interface AccountToLink {
  readonly userId: string;
  /** A trusted address decided, and no proof. */
  readonly byAddress: boolean;
  /** It was made for the person. */
  readonly isNew: boolean;
}

/** What a sign-in works with, in its transaction. */
export interface LoginContext extends ConsideredLogin {
  readonly transaction: Change;
}

/** What is enough to say which account it would be. */
export interface ConsideredLogin {
  readonly transaction: Pick<Change, 'tx'>;
  readonly provider: TrustedProvider;
  readonly assertion: ProviderAssertion;
  readonly identity: MappedIdentity;
}

interface NewAccount {
  readonly domainId: string;
  readonly name: string;
  readonly email: string | undefined;
}

/**
 * `address`: a trusted address leads into an account. `new`: a new account is made. `choice`: the person is asked whether they have an account, or
 * gets a new one. `proof`: they have to sign in to an account that exists.
 */
export type ForeseenAccount =
  | { readonly kind: 'address'; readonly domainId: string; readonly userId: string }
  | { readonly kind: 'proof'; readonly domainId: string }
  | ({ readonly kind: 'new' | 'choice' } & NewAccount);

/** Why we do not let somebody in whom the provider let in. The pages have a text for each. */
type OwnRefusal =
  | 'settings_changed'
  | 'mapping_refused'
  | 'account_deleted'
  | 'other_domain'
  | 'other_account'
  | 'no_account'
  | 'no_name'
  | 'signed_out'
  | 'time_unknown';

export const refuse = (why: OwnRefusal): never => fail('identity_provider.no_entry', { why }, { reason: `provider: ${why}` });

/** Whether the provider is for accounts of this domain. */
export const inScope = ({ provider }: Pick<LoginContext, 'provider'>, domainId: string): boolean =>
  provider.whole_service === 1 || provider.domain_id === domainId;

export function createAccountChoice({
  users,
  entitlements,
}: {
  readonly users: Pick<Users, 'insert' | 'isInDirectory' | 'lock' | 'mayBeFromProvider'>;
  readonly entitlements: EntitlementRules;
}) {
  /** Written by a trusted provider, and of the domains it is trusted for. */
  function trustedAddress({ provider, assertion }: ConsideredLogin): string | undefined {
    const email = provider.trusts_email === 1 ? emailOf(assertion) : undefined;
    const domains = JSON.parse(provider.email_domains) as string[];
    return email?.isVerified && domains.includes(email.domain) ? email.address : undefined;
  }

  /**
   * The account of a trusted address. Undefined when there is none; 'ask' when the address does not decide: it has several accounts, the
   * account manages others, or it belongs to somebody else at this provider (the address may have been given to another person), or to
   * somebody in a directory (where people may write any address into their own entry), or nobody has confirmed it and it was written by
   * somebody who could lead the person into an account of theirs: the managers of another domain, or another provider, which is not
   * trusted with addresses.
   */
  async function accountByAddress(login: ConsideredLogin, address: string): Promise<UserRow | 'ask' | undefined> {
    const { transaction, provider } = login;
    const domainId = provider.whole_service === 1 ? undefined : provider.domain_id;
    const found = await usersWithEmail(transaction.tx, nameKey(address), { domainId, limit: MAX_ACCOUNTS });
    // Others may have it as a further address. Whose main address it is may not be among those that were read.
    if (found.length === MAX_ACCOUNTS) return 'ask';
    const [first, other] = found.filter((one) => isMainEmail(one, address));
    if (!first) return undefined;
    // Of two people whom the provider names with one address at the same moment, the second finds the link of the first.
    const user = await users.lock(transaction.tx, first.id);
    if (!user || !isMainEmail(user, address)) return undefined;
    const linked = await linkedProviderIds(transaction.tx, user.id);
    const isAnothers = linked.has(provider.provider_id);
    const isInDirectory = await users.isInDirectory(user.id, transaction.tx);
    const isOthers = user.domain_id !== provider.domain_id || (await users.mayBeFromProvider(transaction.tx, user.id));
    const isDoubtful = !isEmailConfirmed(user) && isOthers;
    return other ||
      isAnothers ||
      isInDirectory ||
      isDoubtful ||
      (await entitlements.managesOthers(transaction.tx, { userId: user.id }))
      ? 'ask'
      : user;
  }

  /** The address of a new account: one that the provider has checked, or that belongs to it. */
  function addressOfNew({ provider, assertion, identity }: ConsideredLogin): string | undefined {
    const email = emailOf(assertion);
    if (!email || (identity.user.email !== undefined && identity.user.email !== email.address)) return undefined;
    const domains = JSON.parse(provider.email_domains) as string[];
    return email.isVerified || domains.includes(email.domain) ? email.address : undefined;
  }

  async function domainOfNew(login: ConsideredLogin): Promise<string> {
    const { identity, provider, transaction } = login;
    const { domain } = identity.user;
    const id = domain ? await entitlements.domainIdOf(transaction.tx, domain) : provider.domain_id;
    return id !== undefined && inScope(login, id) ? id : refuse('other_domain');
  }

  /** Whether the provider may say whose address this is: it is of its own domains, and nobody else has confirmed it. */
  async function mayGiveAddress({ provider, transaction }: ConsideredLogin, address: string, domainId: string): Promise<boolean> {
    const domain = domainOfAddress(address);
    const domains = JSON.parse(provider.email_domains) as string[];
    if (domain === undefined || !domains.includes(domain)) return false;
    return (await usersWithConfirmedEmail(transaction.tx, domainId, address)).length === 0;
  }

  /** A name that is the address of somebody else loses the domain of it, and so does one with an addition. */
  async function nameOfNew(login: ConsideredLogin, domainId: string, suffix: string): Promise<string> {
    const { name, id } = login.identity.user;
    const wanted = (name || id || '').trim();
    if (!isLikeAddress(wanted)) return wanted;
    const isOwn = suffix === '' && (await mayGiveAddress(login, wanted, domainId));
    return isOwn ? wanted : withoutAddress(wanted);
  }

  async function newAccount(login: ConsideredLogin, suffix: string): Promise<NewAccount> {
    const domainId = await domainOfNew(login);
    const name = `${await nameOfNew(login, domainId, suffix)}${suffix}`;
    if (name === suffix || name.length > MAX_NAME || /\p{Cc}/u.test(name)) refuse('no_name');
    return { domainId, name, email: addressOfNew(login) };
  }

  async function createAccount(login: LoginContext, suffix: string): Promise<string> {
    const { domainId, name, email } = await newAccount(login, suffix);
    const body = { name, ...(email === undefined ? {} : { email }) };
    const emailConfirmed = email !== undefined && email === trustedAddress(login);
    return users.insert(login.transaction, body, domainId, { emailConfirmed });
  }

  /** The account to link. Undefined when the person has to choose first. */
  async function accountToLink(login: LoginContext, choice: Choice): Promise<AccountToLink | undefined> {
    if (choice.kind === 'link') return { userId: choice.userId, byAddress: false, isNew: false };
    const address = trustedAddress(login);
    const found = address === undefined ? undefined : await accountByAddress(login, address);
    if (found && found !== 'ask') return { userId: found.id, byAddress: true, isNew: false };
    // Nothing tells whether there is an account, except for somebody whose address is trusted: it is their own.
    const isDecided = choice.kind === 'new' || (address !== undefined && found === undefined);
    if (!isDecided || login.identity.user.type === 'local') return undefined;
    return { userId: await createAccount(login, choice.kind === 'new' ? choice.suffix : ''), byAddress: false, isNew: true };
  }

  /** What would come of it for somebody who is not linked, without doing it. */
  async function foresee(login: ConsideredLogin): Promise<ForeseenAccount> {
    const address = trustedAddress(login);
    const found = address === undefined ? undefined : await accountByAddress(login, address);
    if (found && found !== 'ask') return { kind: 'address', domainId: found.domain_id, userId: found.id };
    if (login.identity.user.type === 'local') return { kind: 'proof', domainId: await domainOfNew(login) };
    const isDecided = address !== undefined && found === undefined;
    return { kind: isDecided ? 'new' : 'choice', ...(await newAccount(login, '')) };
  }

  return { accountToLink, foresee };
}

export type AccountChoice = ReturnType<typeof createAccountChoice>;
