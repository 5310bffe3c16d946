// The settings of a provider whose people show credentials from their wallets: what they show, whose it must be, and how far it is trusted.
import { X509Certificate } from 'node:crypto';
import type { Static } from '../../../platform/http/index.ts';
import { FORMATS } from '../../../verifiable/formats/index.ts';
import { parseAnchors } from '../../../verifiable/trust/index.ts';
import { tagOf } from '../../access/context/index.ts';
import { type Caller, type IdentityTarget, targetOf } from '../../access/rules/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { IdentityProviderRow, WalletProviderRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { bit, type Deps, failOnBrokenReference } from '../../ground/resource/index.ts';
import { lockIdentityProvider } from './identity-providers.store.ts';
import type { LinkBatches } from './link-batches.rules.ts';
import { checkIssuer, checkTrust } from './openid-settings.rules.ts';
import { checkVersion, versionedSettings } from './versions.ts';
import type { AskedCredential, PutWalletSettings } from './wallet-settings.schema.ts';
import { deleteWalletSettings, findWalletSettings, putWalletSettings } from './wallet-settings.store.ts';

type WalletSettingsBody = Static<typeof PutWalletSettings>['openid4vp'];

/** Methods whose documents are read here. No fragment: that would be a key. */
const DID = /^did:(?:web|key|jwk):[\w.:%-]+$/;

const refuse = (field: string, why: string): never => fail('request.bad_value', { field, why });

function checkIssuers(issuers: readonly string[]): void {
  for (const issuer of issuers) {
    if (!issuer.startsWith('did:')) checkIssuer(issuer, 'issuers');
    else if (!DID.test(issuer)) refuse('issuers', 'a DID must be a did:web, did:key or did:jwk, without a fragment');
  }
}

/** As they are stored: nothing beside the certificate, such as a private key that is in the same file. */
function certificatesOf(texts: readonly string[]): string[] {
  const why = 'each must be one certificate of an authority, as PEM';
  const found = texts.map((text) => {
    let parsed: X509Certificate[] = [];
    try {
      parsed = parseAnchors(text);
    } catch {
      // It is refused below.
    }
    const [certificate, ...others] = parsed;
    return certificate?.ca && others.length === 0 ? certificate.toString() : refuse('root_certificates', why);
  });
  return [...new Set(found)];
}

/** Null only at the end: what is below the elements of a list has no name in a mapping. */
function checkPaths(credentials: readonly AskedCredential[]): void {
  if (credentials.some(({ claims }) => claims.some((path) => path[0] === null || path.slice(0, -1).includes(null))))
    refuse('credentials', 'null stands at the end of a path only, after a name');
  for (const { format, subject, claims } of credentials)
    if (![subject, ...claims].every(FORMATS[format].isClaimPath))
      refuse('credentials', `a path of ${format} is the namespace and the name of an element`);
}

/** Where issuers have no names, a list of names would let nobody in. */
function checkRoots({ credentials, issuers = [] }: WalletSettingsBody): void {
  const found = credentials.find(({ format }) => FORMATS[format].isTrustedByRootsOnly);
  if (found && issuers.length > 0)
    refuse('issuers', `issuers of ${found.format} are known by root certificates: leave it empty, or make another provider`);
}

const credentialsOf = (body: WalletSettingsBody): AskedCredential[] =>
  body.credentials.map(({ format, types, subject, claims = [] }) => ({ format, types, subject, claims }));

/** Everything that the settings let in, and what they may give. Less of it is less trust. */
function allowedBy(row: WalletProviderRow): ReadonlySet<string> {
  const issuers = JSON.parse(row.issuers) as string[];
  const roots = JSON.parse(row.root_certificates) as string[];
  const credentials = JSON.parse(row.credentials) as AskedCredential[];
  return new Set([
    ...(issuers.length === 0 ? ['any issuer'] : issuers.map((issuer) => `issuer ${issuer}`)),
    ...roots.map((root) => `root ${new X509Certificate(root).fingerprint256}`),
    ...credentials.flatMap(({ format, types, subject }) => types.map((type) => JSON.stringify([format, type, subject]))),
    ...(row.requires_status === 0 ? ['no status'] : []),
    ...(row.whole_service === 1 ? ['whole service'] : []),
    ...(row.may_give_admin === 1 ? ['admin'] : []),
  ]);
}

const isLess = (former: WalletProviderRow, row: WalletProviderRow): boolean => !allowedBy(former).isSubsetOf(allowedBy(row));

export function createWalletSettings(
  deps: Pick<Deps, 'db' | 'clock' | 'change'> & {
    /** Called in the transaction that narrows what the provider is trusted with, or removes the settings. */
    endSessionsOf(transaction: Change, providerId: string): Promise<void>;
    readonly linkBatches: Pick<LinkBatches, 'takeBackDue'>;
  },
) {
  const { db, clock, change, endSessionsOf, linkBatches } = deps;
  const target = (id: string) => ({ kind: 'identity_provider', id });

  function rowOf(id: string, body: WalletSettingsBody, former: WalletProviderRow | undefined): WalletProviderRow {
    const version = Math.max(clock.now(), (former?.version ?? 0) + 1);
    const row: WalletProviderRow = {
      provider_id: id,
      name: body.name ?? null,
      shown: bit(body.shown ?? true),
      credentials: JSON.stringify(credentialsOf(body)),
      issuers: JSON.stringify(body.issuers ?? []),
      root_certificates: JSON.stringify(certificatesOf(body.root_certificates ?? [])),
      requires_status: bit(body.requires_status ?? true),
      email_domains: JSON.stringify([...new Set((body.email_domains ?? []).map((domain) => domain.toLowerCase()))]),
      trusts_email: bit(body.trusts_email ?? false),
      whole_service: bit(body.whole_service ?? false),
      may_give_admin: bit(body.may_give_admin ?? false),
      version,
      taking_back: former?.taking_back ?? null,
    };
    // Also where there were none: people may have come by earlier ones, which were removed.
    return !former || isLess(former, row) ? { ...row, taking_back: version } : row;
  }

  async function write(transaction: Change, id: string, body: WalletSettingsBody, ifMatch?: string): Promise<WalletProviderRow> {
    const { issuers = [], root_certificates: roots = [] } = body;
    if (issuers.length + roots.length === 0) refuse('issuers', 'there must be issuers or root certificates');
    checkIssuers(issuers);
    checkRoots(body);
    checkPaths(credentialsOf(body));
    checkTrust(body);
    const { tx, audit } = transaction;
    // Locked, so that two calls do not mix their settings, and no sign-in is half done.
    if (!(await lockIdentityProvider(db, tx, id))) fail('identity_provider.not_found', { id });
    const former = await findWalletSettings(tx, id);
    checkVersion('openid4vp_settings', id, ifMatch, former && versionedSettings(former));
    const row = rowOf(id, body, former);
    if (former && isLess(former, row)) await endSessionsOf(transaction, id);
    await failOnBrokenReference(
      () => fail('identity_provider.not_found', { id }),
      () => putWalletSettings(tx, row),
    );
    transaction.invalidate(tagOf.identityProvider(id));
    const detail = { issuers, root_certificates: roots.length };
    audit('identity_provider.openid4vp_settings_written', target(id), detail);
    return row;
  }

  async function put(
    caller: Caller,
    { id }: IdentityProviderRow,
    body: WalletSettingsBody,
    ifMatch?: string,
  ): Promise<WalletProviderRow> {
    const written = await change(caller, (transaction) => write(transaction, id, body, ifMatch));
    await linkBatches.takeBackDue(caller, id);
    return written;
  }

  return {
    target: async (providerId: string): Promise<IdentityTarget<WalletProviderRow>> =>
      targetOf(
        await findWalletSettings(db.read, providerId),
        () => ({}),
        () => fail('wallet_provider.not_found', { id: providerId }),
      ),

    /** In the transaction that makes the provider. */
    write,
    put,

    async remove(caller: Caller, { provider_id: id }: WalletProviderRow): Promise<void> {
      await change(caller, async (transaction) => {
        await lockIdentityProvider(db, transaction.tx, id);
        if (!(await deleteWalletSettings(transaction.tx, id))) fail('wallet_provider.not_found', { id });
        await endSessionsOf(transaction, id);
        transaction.invalidate(tagOf.identityProvider(id));
        transaction.audit('identity_provider.openid4vp_settings_deleted', target(id));
      });
      await linkBatches.takeBackDue(caller, id);
    },
  };
}

export type WalletSettings = ReturnType<typeof createWalletSettings>;
