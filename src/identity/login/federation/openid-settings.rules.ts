// The OpenID settings of an identity provider: who it is, and how far it is trusted.
import type { Static } from '../../../platform/http/index.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import { tagOf } from '../../access/context/index.ts';
import { type Caller, type IdentityTarget, targetOf } from '../../access/rules/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { IdentityProviderRow, OpenidProviderRow, ProviderKeyRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { bit, type Deps, failOnBrokenReference } from '../../ground/resource/index.ts';
import { optionsOf, optionsToStore } from './client-options.ts';
import { lockIdentityProvider } from './identity-providers.store.ts';
import type { LinkBatches } from './link-batches.rules.ts';
import { nameIssuer } from './links.store.ts';
import type { PutOpenidSettings } from './openid-settings.schema.ts';
import { deleteOpenidSettings, findOpenidSettings, putOpenidSettings } from './openid-settings.store.ts';
import type { ProviderKeys } from './provider-keys.rules.ts';
import type { ProviderRegistrations } from './provider-registrations.rules.ts';
import { checkVersion, versionedSettings } from './versions.ts';

type OpenidSettingsBody = Static<typeof PutOpenidSettings>['openid'];

const DEFAULT_SCOPES = ['openid', 'profile', 'email'];
const sealContext = (providerId: string): string => `openid_providers/${providerId}`;

/** The issuer is compared as a text, so it is stored as it was given. */
export function checkIssuer(issuer: string, field = 'issuer'): void {
  const url = URL.parse(issuer);
  const why =
    'it must be an https address without query, fragment and credentials (http only where GATEHOUSE_OUTBOUND_ALLOW has it)';
  const isPlain =
    url && url.search === '' && url.hash === '' && url.username === '' && url.password === '' && !/[?#\s]/.test(issuer);
  if (!isPlain || !['https:', 'http:'].includes(url.protocol)) fail('request.bad_value', { field, why });
}

/** Otherwise any address of the world would open the account that has it. */
export function checkTrust({
  trusts_email: trusts = false,
  email_domains: domains = [],
}: Pick<OpenidSettingsBody, 'trusts_email' | 'email_domains'>): void {
  if (trusts && domains.length === 0)
    fail('request.bad_value', { field: 'trusts_email', why: 'it needs email_domains: those whose addresses the provider knows' });
}

type Trust = Pick<OpenidProviderRow, 'whole_service' | 'may_give_admin'>;

/** Whether it is for fewer people now, or may give less. */
const isLess = (former: Trust, now: Trust): boolean =>
  former.whole_service > now.whole_service || former.may_give_admin > now.may_give_admin;

/** Whether it is another provider now, or trusted less: people sign in again. */
const isOtherOrLess = (former: OpenidProviderRow, row: OpenidProviderRow): boolean =>
  former.issuer !== row.issuer || former.client_id !== row.client_id || isLess(former, row);

type Client = Pick<OpenidProviderRow, 'issuer' | 'client_id'>;
const isOtherClient = (former: Client, now: Client): boolean =>
  former.issuer !== now.issuer || former.client_id !== now.client_id;

interface WriteOptions {
  readonly ifMatch?: string | undefined;
  /** The service has just registered itself. */
  readonly registered?: Registered;
}

/** What the provider answered, and what it was asked for with. */
export type Registered = Parameters<ProviderRegistrations['store']>[2] & {
  /** The version of the settings that were there; undefined if there were none. What somebody has set since is not taken back. */
  readonly formerVersion: number | undefined;
  /** The ids of the keys that were made for it. */
  readonly keys: readonly string[];
};

/** Keys are not for two providers. */
export const isOtherProvider = (former: Pick<Client, 'issuer'> | undefined, now: Pick<Client, 'issuer'>): boolean =>
  former?.issuer !== now.issuer;

/** Whether somebody may have got in with a token who would not now. */
function admitsLess(former: OpenidProviderRow, row: OpenidProviderRow): boolean {
  const domains = new Set(JSON.parse(row.email_domains) as string[]);
  const lostDomain = (JSON.parse(former.email_domains) as string[]).some((domain) => !domains.has(domain));
  return former.accepts_tokens > row.accepts_tokens || former.trusts_email > row.trusts_email || lostDomain;
}

/** Those who do not know the setting do not change it. For another client at the provider it has to be given again. */
const accepts = (
  what: 'accepts_tokens' | 'accepts_initiated_login',
  body: OpenidSettingsBody,
  former: OpenidProviderRow | undefined,
): boolean =>
  body[what] ??
  (former !== undefined && former.issuer === body.issuer && former.client_id === body.client_id && former[what] === 1);

export function createOpenidSettings(
  deps: Pick<Deps, 'db' | 'clock' | 'change'> & {
    readonly seal: Seal;
    /** Called in the transaction that replaces the issuer, narrows what the provider is for, or removes the settings. */
    endSessionsOf(transaction: Change, providerId: string): Promise<void>;
    /** Called in the transaction that changes who gets in with a token of the provider. */
    endTokensOf(transaction: Change, providerId: string): Promise<void>;
    readonly linkBatches: Pick<LinkBatches, 'takeBackDue'>;
    readonly keys: Pick<ProviderKeys, 'prepare' | 'store' | 'removeAll'>;
    readonly registrations: Pick<ProviderRegistrations, 'handleOf' | 'store' | 'forget' | 'remove'>;
  },
) {
  const { db, clock, change, seal, endSessionsOf, endTokensOf, linkBatches, keys, registrations } = deps;

  function secretOf(providerId: string, body: OpenidSettingsBody, former: OpenidProviderRow | undefined): string | null {
    if (body.client_secret === undefined) {
      // A secret is for the issuer it was given with: whoever changes the issuer must know it, too.
      return former?.issuer === body.issuer ? former.client_secret : null;
    }
    return body.client_secret === null ? null : seal.seal(Buffer.from(body.client_secret), sealContext(providerId));
  }

  /** What takes longer than a transaction should. */
  async function prepare(id: string, body: OpenidSettingsBody, { registered }: WriteOptions = {}): Promise<ProviderKeyRow[]> {
    const former = await findOpenidSettings(db.read, id);
    const way = optionsOf({ client_options: optionsToStore(body, former) });
    // Those for a registration are there.
    return keys.prepare(id, way, { isOther: registered === undefined && isOtherProvider(former, body) });
  }

  async function write(
    transaction: Change,
    id: string,
    body: OpenidSettingsBody,
    { prepared, ifMatch, registered }: WriteOptions & { readonly prepared: readonly ProviderKeyRow[] },
  ): Promise<OpenidProviderRow> {
    checkIssuer(body.issuer);
    checkTrust(body);
    const { tx, audit } = transaction;
    // Locked, so that two calls do not mix their settings.
    if (!(await lockIdentityProvider(db, tx, id))) fail('identity_provider.not_found', { id });
    const former = await findOpenidSettings(tx, id);
    checkVersion('openid_settings', id, ifMatch, former && versionedSettings(former));
    if (registered && registered.formerVersion !== former?.version) fail('resource.changed', { kind: 'openid_settings', id });
    const trust = { whole_service: bit(body.whole_service ?? false), may_give_admin: bit(body.may_give_admin ?? false) };
    const acceptsTokens = accepts('accepts_tokens', body, former);
    const version = Math.max(clock.now(), (former?.version ?? 0) + 1);
    const row: OpenidProviderRow = {
      provider_id: id,
      issuer: body.issuer,
      client_id: body.client_id,
      client_secret: secretOf(id, body, former),
      scopes: JSON.stringify([...new Set(['openid', ...(body.scopes ?? DEFAULT_SCOPES)])]),
      button_name: body.button_name ?? null,
      email_domains: JSON.stringify([...new Set((body.email_domains ?? []).map((domain) => domain.toLowerCase()))]),
      trusts_email: bit(body.trusts_email ?? false),
      ...trust,
      accepts_tokens: bit(acceptsTokens),
      accepts_initiated_login: bit(accepts('accepts_initiated_login', body, former)),
      button_order: body.button_order ?? null,
      client_options: optionsToStore({ ...body, accepts_tokens: acceptsTokens }, former),
      version,
      taking_back: former && isLess(former, trust) ? version : (former?.taking_back ?? null),
    };
    if (former && isOtherOrLess(former, row)) await endSessionsOf(transaction, id);
    if (former && admitsLess(former, row)) await endTokensOf(transaction, id);
    await failOnBrokenReference(
      () => fail('identity_provider.not_found', { id }),
      () => putOpenidSettings(tx, row),
    );
    const isOther = isOtherProvider(former, row);
    await keys.store(transaction, id, optionsOf(row), { prepared, isOther, published: registered?.keys ?? [] });
    if (registered) await registrations.store(transaction, id, registered);
    else if (former && isOtherClient(former, row)) await registrations.forget(transaction, id);
    transaction.invalidate(tagOf.identityProvider(id));
    const { issuer, client_id } = row;
    if (!former) await nameIssuer(tx, id, issuer);
    audit('identity_provider.openid_settings_written', { kind: 'identity_provider', id }, { issuer, client_id });
    return row;
  }

  async function put(
    caller: Caller,
    { id }: IdentityProviderRow,
    body: OpenidSettingsBody,
    options: WriteOptions = {},
  ): Promise<OpenidProviderRow> {
    const prepared = await prepare(id, body, options);
    const former = await registrations.handleOf(id);
    const before = await findOpenidSettings(db.read, id);
    const written = await change(caller, (transaction) => write(transaction, id, body, { ...options, prepared }));
    if (before && isOtherClient(before, written)) await registrations.remove(id, former);
    // Nobody signs in by a former issuer any more. Its people are others, and what it gave them is taken back. Where the provider is trusted
    // less, everybody gets at the next sign-in what is still due.
    await linkBatches.takeBackDue(caller, id);
    return written;
  }

  return {
    target: async (providerId: string): Promise<IdentityTarget<OpenidProviderRow>> =>
      targetOf(
        await findOpenidSettings(db.read, providerId),
        () => ({}),
        () => fail('openid_provider.not_found', { id: providerId }),
      ),

    prepare,
    /** In the transaction that makes the provider. */
    write,
    put,

    async remove(caller: Caller, { provider_id: id }: OpenidProviderRow): Promise<void> {
      const registered = await registrations.handleOf(id);
      await change(caller, async (transaction) => {
        await lockIdentityProvider(db, transaction.tx, id);
        if (!(await deleteOpenidSettings(transaction.tx, id))) fail('openid_provider.not_found', { id });
        await keys.removeAll(transaction, id);
        await registrations.forget(transaction, id);
        await endSessionsOf(transaction, id);
        transaction.invalidate(tagOf.identityProvider(id));
        transaction.audit('identity_provider.openid_settings_deleted', { kind: 'identity_provider', id });
      });
      await registrations.remove(id, registered);
      // The next settings may be those of another provider.
      await linkBatches.takeBackDue(caller, id);
    },

    /** Undefined for a public client. */
    secretOf: ({ provider_id: id, client_secret: secret }: OpenidProviderRow): string | undefined =>
      secret === null ? undefined : seal.open(secret, sealContext(id)).toString(),
  };
}

export type OpenidSettings = ReturnType<typeof createOpenidSettings>;
