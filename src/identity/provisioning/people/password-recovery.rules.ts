// Forgotten passwords: a mail with a link, and the new password that the link allows. It replaces the password only. Whoever has a second
// factor needs it to sign in afterwards.

import { addressKey, type Gate } from '../../../platform/limits/index.ts';
import { DEFAULT_DOMAIN, findProject } from '../../access/context/index.ts';
import type { Passwords } from '../../directory/passwords/index.ts';
import { findByName } from '../../directory/projects/index.ts';
import { isEmailConfirmed, recipientOf, type Users } from '../../directory/users/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Reader, Tx, UserRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Link, type Links, linkTo } from '../../ground/links/index.ts';
import type { Mail } from '../../ground/mail/index.ts';
import { type Deps, parseJson } from '../../ground/resource/index.ts';
import { FORGOTTEN_PASSWORD_PAGE, NEW_PASSWORD_PAGE } from '../../openid/paths/index.ts';
import type { MailRequests, StrangerRequest } from './requests.ts';

/** Several accounts can have one address. */
const MAX_ACCOUNTS = 5;

export interface PasswordRecoveryDeps extends Pick<Deps, 'db' | 'clock' | 'change' | 'log'> {
  readonly users: Users;
  readonly passwords: Passwords;
  readonly links: Links;
  readonly mail: Mail;
  readonly gate: Gate;
  readonly requests: MailRequests;
  issuer(): string;
  /** Whether the account has a password here that its user may change. */
  canResetPassword(user: UserRow, reader?: Reader): Promise<boolean>;
}

/** What somebody typed who has forgotten the password. */
export interface ForgottenPassword {
  /** A user name or an e-mail address. */
  readonly name: string;
  /** A name or an id; empty for all domains. */
  readonly domain: string;
  /** The language of the page. */
  readonly language: string;
  /** The sign-in to return to. */
  readonly interaction: string | undefined;
}

export interface OpenReset {
  readonly user: UserRow;
  readonly link: Link;
}

export function createPasswordRecovery(deps: PasswordRecoveryDeps) {
  const { db, change, users, passwords, links, mail, gate, requests, issuer, canResetPassword } = deps;

  /** As at the sign-in: without a domain, the default domain comes first, then a unique name in any domain. */
  async function accountsOf({ name, domain }: ForgottenPassword): Promise<UserRow[]> {
    const domainId = domain === '' ? undefined : ((await findByName(db.read, domain, null))?.id ?? domain);
    const named = await users.findByName(domainId ?? DEFAULT_DOMAIN, name);
    const elsewhere = domainId === undefined ? await users.findInAllDomains(name) : [];
    const mailed = await users.findByEmail(domainId, name);
    const byName = named ? [named] : elsewhere.length === 1 ? elsewhere : [];
    // Anybody who creates users can give them this address: those who have proved it come first.
    const confirmed = mailed.filter(isEmailConfirmed);
    return [...new Map([...byName, ...confirmed, ...mailed].map((user) => [user.id, user])).values()].slice(0, MAX_ACCOUNTS);
  }

  /** The mail goes to the stored address, never to what was typed. */
  async function letterTo(user: UserRow): Promise<'reset-password' | 'password-elsewhere' | undefined> {
    const { address } = recipientOf(user);
    if (address === undefined || !(await users.isActive(user)) || !requests.mayMail(address, 'new password')) return undefined;
    return (await canResetPassword(user)) ? 'reset-password' : 'password-elsewhere';
  }

  async function write(
    transaction: Change,
    user: UserRow,
    letter: 'reset-password' | 'password-elsewhere' | undefined,
    { language: pageLanguage, interaction }: ForgottenPassword,
  ): Promise<void> {
    const { address: to = '', name, language = pageLanguage } = recipientOf(user);
    const reader = { to, domainId: user.domain_id, language };
    transaction.audit('user.password_reset_requested', { kind: 'user', id: user.id }, { mail: letter ?? 'none' });
    if (letter === 'password-elsewhere') await mail.enqueue(transaction, { ...reader, template: letter, values: { name } });
    if (letter !== 'reset-password') return;
    const data = interaction === undefined ? {} : { interaction };
    const token = await links.make(transaction, { purpose: 'reset-password', userId: user.id, address: to, data });
    const link = linkTo(issuer(), NEW_PASSWORD_PAGE, token);
    await mail.enqueue(transaction, { ...reader, template: 'reset-password', values: { name, link } });
  }

  /** Writes to the database in any case, so that later requests do not take longer after one for an account that exists. */
  async function send(by: StrangerRequest, typed: ForgottenPassword): Promise<void> {
    const accounts = await accountsOf(typed);
    const letters = await Promise.all(accounts.map(letterTo));
    await change({ userId: null, requestId: by.requestId }, async (transaction) => {
      const unknown = { kind: 'user', id: 'unknown' };
      if (accounts.length === 0) transaction.audit('user.password_reset_requested', unknown, { mail: 'none' });
      for (const [at, user] of accounts.entries()) await write(transaction, user, letters[at], typed);
    });
  }

  /** What a link allows; undefined if it has ended. Changes nothing. */
  async function open(by: StrangerRequest, token: string): Promise<OpenReset | undefined> {
    gate.checkSecret(by, undefined);
    const link = await links.find(token, 'reset-password');
    if (!link) gate.wrongSecret(by, undefined);
    const user = link?.userId === undefined ? undefined : await users.find(link.userId);
    if (!link || !user || !(await users.isActive(user)) || !(await canResetPassword(user))) return undefined;
    return { user, link };
  }

  /** An administrator or a directory may have changed the account since the link was opened. */
  async function isStillPossible(tx: Tx, userId: string): Promise<boolean> {
    const user = await users.lock(tx, userId);
    const domain = user && (await findProject(tx, user.domain_id));
    return user?.enabled === 1 && domain?.enabled === 1 && canResetPassword(user, tx);
  }

  return {
    page: FORGOTTEN_PASSWORD_PAGE,

    /** Returns before anything is known about the account. */
    request: (by: StrangerRequest, typed: ForgottenPassword): Promise<void> => requests.accept(by, () => send(by, typed)),

    open,

    /** Fails with `link.ended` or `auth.required` if the link has ended. A password that breaks the rules does not use it up. */
    async reset(by: StrangerRequest, { user }: OpenReset, token: string, password: string): Promise<void> {
      const { id, epoch } = user;
      const account = { id, domainId: user.domain_id, options: parseJson(user.options) };
      const client = { key: addressKey(by.address), signal: by.signal };
      const prepared = await passwords.prepare(password, 'link', account, client);
      // With the epoch: whatever ended the user's links or access meanwhile also ends this.
      await change({ userId: id, requestId: by.requestId, epoch }, async (transaction) => {
        const link = await links.use(transaction, token, 'reset-password');
        if (link?.userId !== id || !(await isStillPossible(transaction.tx, id))) fail('link.ended');
        await users.confirmEmail(transaction, id, link.address);
        await users.storeNewPassword(transaction, id, prepared);
        transaction.audit('user.password_reset', { kind: 'user', id });
      });
    },
  };
}

export type PasswordRecovery = ReturnType<typeof createPasswordRecovery>;
