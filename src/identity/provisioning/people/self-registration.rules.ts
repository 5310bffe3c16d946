// People register themselves: they enter an e-mail address, get a link there, and choose name and password on the page it opens. The account
// is created with the link, so that there is none with an address that nobody has proved. Its user name is the address, so that no page
// tells whether a user name is taken.

import { seconds } from '../../../platform/clock.ts';
import { addressKey, type Gate } from '../../../platform/limits/index.ts';
import { DEFAULT_DOMAIN, findProject } from '../../access/context/index.ts';
import type { DomainSettingsOf } from '../../directory/domain-settings/index.ts';
import type { Passwords } from '../../directory/passwords/index.ts';
import { findByName } from '../../directory/projects/index.ts';
import { isMainEmail, lockEmail, ownersOfEmail, recipientOf, type Users } from '../../directory/users/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Reader, UserRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Link, type Links, linkTo } from '../../ground/links/index.ts';
import type { Mail } from '../../ground/mail/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { CONFIRM_EMAIL_PAGE, FORGOTTEN_PASSWORD_PAGE } from '../../openid/paths/index.ts';
import { checkedFields, type FieldUses, type FieldValues, fieldUsesOf, profileOf, type Waiting } from '../registration/index.ts';
import { isAllowed } from './addresses.ts';
import type { MailRequests, StrangerRequest } from './requests.ts';
import { acceptTerms, presentTerms, type Terms } from './terms.rules.ts';

export interface SelfRegistrationDeps extends Pick<Deps, 'db' | 'change' | 'clock' | 'config'> {
  readonly users: Users;
  readonly passwords: Passwords;
  readonly links: Links;
  readonly mail: Mail;
  readonly gate: Gate;
  readonly requests: MailRequests;
  readonly domainSettings: DomainSettingsOf;
  readonly waiting: Pick<Waiting, 'begin'>;
  issuer(): string;
}

/** A domain where people can register. */
export interface OpenDomain {
  readonly id: string;
  readonly name: string;
  /** Domains of e-mail addresses that may register; all if empty. */
  readonly allowed: readonly string[];
  /** Whether an administrator confirms who registers. */
  readonly asksAdministrator: boolean;
  readonly fields: FieldUses;
}

export interface RegistrationRequest {
  /** As `readAddress` gives it. */
  readonly address: string;
  readonly domain: OpenDomain;
  /** The language of the page. */
  readonly language: string;
  /** The sign-in to return to. */
  readonly interaction: string | undefined;
}

export interface OpenRegistration {
  readonly link: Link;
  readonly domain: OpenDomain;
}

export interface NewPerson {
  /** Empty if the fields have it. */
  readonly name: string;
  readonly fields: FieldValues;
  readonly password: string;
  /** Of the page. */
  readonly language: string;
  /** The version of the terms that the page named, if the person accepts it. */
  readonly acceptedTerms: string | undefined;
}

export function createSelfRegistration(deps: SelfRegistrationDeps) {
  const { db, change, clock, config, users, passwords, links, mail, gate, requests, domainSettings, waiting, issuer } = deps;

  async function openDomainOf(id: string, reader: Reader = db.read): Promise<OpenDomain | undefined> {
    const domain = await findProject(reader, id);
    if (domain?.is_domain !== 1 || domain.enabled !== 1) return undefined;
    const settings = domainSettings.ofDomain(domain);
    const { mode, allowedEmailDomains: allowed, confirmedBy } = settings.registration;
    if (mode !== 'open') return undefined;
    return { id, name: domain.name, allowed, asksAdministrator: confirmedBy === 'administrator', fields: fieldUsesOf(settings) };
  }

  /** By name or id; the default domain if empty. Unknown, disabled and closed domains are the same: undefined. */
  const findOpenDomain = async (typed: string): Promise<OpenDomain | undefined> =>
    openDomainOf(typed === '' ? DEFAULT_DOMAIN : ((await findByName(db.read, typed, null))?.id ?? typed));

  const termsOf = (domain: OpenDomain): Terms | undefined => presentTerms(config, domainSettings.ofDomain(domain));

  async function tellOwner(
    transaction: Change,
    owner: UserRow,
    { address, domain, language: pageLanguage }: RegistrationRequest,
  ) {
    const { address: stored, language = pageLanguage } = recipientOf(owner);
    const to = stored !== undefined && isMainEmail(owner, address) ? stored : address;
    const values = { reset: `${issuer()}${FORGOTTEN_PASSWORD_PAGE}` };
    await mail.enqueue(transaction, { to, domainId: domain.id, template: 'account-exists', language, values });
  }

  async function sendLink(transaction: Change, { address, domain, language, interaction }: RegistrationRequest) {
    const data = { domain_id: domain.id, ...(interaction === undefined ? {} : { interaction }) };
    const about = `${domain.id} ${address.toLowerCase()}`;
    const token = await links.make(transaction, { purpose: 'confirm-email', address, about, data });
    const values = { name: address, link: linkTo(issuer(), CONFIRM_EMAIL_PAGE, token) };
    await mail.enqueue(transaction, { to: address, domainId: domain.id, template: 'confirm-email', language, values });
  }

  async function send(by: StrangerRequest, request: RegistrationRequest): Promise<void> {
    const { address, domain } = request;
    const named = await users.findByName(domain.id, address);
    const [mailed] = await ownersOfEmail(db.read, domain.id, address);
    const owner = mailed ?? named;
    const mayMail = requests.mayMail(address, 'registration');
    await change({ userId: null, requestId: by.requestId }, async (transaction) => {
      transaction.audit('user.registration_requested', { kind: 'domain', id: domain.id });
      if (!mayMail) return;
      if (owner) await tellOwner(transaction, owner, request);
      else await sendLink(transaction, request);
    });
  }

  return {
    findOpenDomain,
    terms: termsOf,

    /** Returns before anything is known about the account. */
    request: (by: StrangerRequest, request: RegistrationRequest): Promise<void> => requests.accept(by, () => send(by, request)),

    /** What a link allows; undefined if it has ended, or if the domain is not open any more. Changes nothing. */
    async open(by: StrangerRequest, token: string): Promise<OpenRegistration | undefined> {
      gate.checkSecret(by, undefined);
      const link = await links.find(token, 'confirm-email');
      if (!link) gate.wrongSecret(by, undefined);
      const domain = typeof link?.data.domain_id === 'string' ? await openDomainOf(link.data.domain_id) : undefined;
      return link && domain && isAllowed(link.address, domain.allowed) ? { link, domain } : undefined;
    },

    /**
     * Creates the account. Fails with `link.ended`, or as a conflict if there is an account with this name or address by now. Returns
     * whether it waits for an administrator.
     */
    async complete(by: StrangerRequest, { link, domain }: OpenRegistration, token: string, person: NewPerson): Promise<boolean> {
      const { address } = link;
      checkedFields(domain.fields, person.fields);
      const client = { key: addressKey(by.address), signal: by.signal };
      const account = { id: undefined, domainId: domain.id, options: {} };
      const password = await passwords.prepare(person.password, 'link', account, client);
      return change({ userId: null, requestId: by.requestId }, async (transaction) => {
        const used = await links.use(transaction, token, 'confirm-email');
        if (used?.address !== address || used.data.domain_id !== domain.id) fail('link.ended');
        // The settings may have changed while the password was hashed.
        const open = await openDomainOf(domain.id, transaction.tx);
        if (!open || !isAllowed(address, open.allowed)) fail('link.ended');
        // Somebody else may have created it since the mail was sent.
        await lockEmail(db, transaction.tx, domain.id, address);
        const [owner] = await ownersOfEmail(transaction.tx, domain.id, address);
        if (owner) fail('resource.duplicate', { kind: 'user', field: 'email', value: address });
        const language = open.fields.language === 'off' ? { language: person.language } : {};
        const said = { ...checkedFields(open.fields, person.fields), ...language };
        const profile = { ...profileOf(said, person.name), emails: [{ value: address, primary: true }] };
        const details = { person: { externalId: null, profile }, emailConfirmed: true };
        const id = await users.insert(transaction, { name: address, enabled: !open.asksAdministrator }, domain.id, details);
        await passwords.store(transaction, id, password);
        const terms = await acceptTerms(transaction, termsOf(domain), id, person.acceptedTerms, seconds(clock));
        const detail = { domain_id: domain.id, ...(terms ? { terms: terms.version } : {}) };
        transaction.audit('user.registered', { kind: 'user', id }, detail);
        if (open.asksAdministrator) await waiting.begin(transaction, id);
        return open.asksAdministrator;
      });
    },
  };
}

export type SelfRegistration = ReturnType<typeof createSelfRegistration>;
