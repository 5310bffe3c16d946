// Puts the parts of signing in with a wallet together.
import { isIP } from 'node:net';
import type { Clock } from '../../../platform/clock.ts';
import { ConfigError } from '../../../platform/config/index.ts';
import type { Log } from '../../../platform/log/index.ts';
import type { Outbound } from '../../../platform/outbound/index.ts';
import { createFormats } from '../../../verifiable/formats/index.ts';
import { createPresentationVerifier } from '../../../verifiable/presentations/index.ts';
import { isRedirectUri } from '../../applications/consumers/index.ts';
import type { DomainSettingsOf } from '../../directory/domain-settings/index.ts';
import type { Database, Reader } from '../../ground/database/index.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';
import type { WalletProvider, WalletProviders } from '../federation/index.ts';
import { createWalletAnswers } from './answers.rules.ts';
import type { RequestSigner, StateOf, VerifierIdentity, WalletRecords } from './data.ts';
import { createWalletEntry } from './entry.rules.ts';
import { asHaip } from './haip.ts';
import { trustInOwnKeys } from './own-keys.ts';
import { createWalletPolicy, type WalletPlace } from './policy.ts';
import { createProviderCredentials } from './provider-credentials.ts';
import { MAX_NAMES, MAX_QUERIES, type OwnTypes, queryFor, type WalletQuery } from './query.ts';
import { createWalletRequests, type WalletRequestDeps } from './requests.rules.ts';

export interface WalletSignInDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: WalletRequestDeps['config'];
  readonly domainSettings: DomainSettingsOf;
  readonly records: WalletRecords;
  readonly identity: VerifierIdentity;
  readonly requestSigner: RequestSigner;
  readonly stateOf: StateOf;
  ownTypes(): Promise<readonly OwnTypes[]>;
  readonly outbound: Outbound;
  readonly outboundAllow: readonly string[];
  readonly providers: WalletProviders;
  /** Whether a user has a credential of ours that is valid. */
  hasCredential(userId: string): Promise<boolean>;
}

/** So many providers are read, to find those of domains that have wallets. */
const MAX_LISTED = 500;

function impossibleIn({
  config,
  identity,
  requestSigner,
}: Pick<WalletSignInDeps, 'config' | 'identity' | 'requestSigner'>): string | undefined {
  if (!isRedirectUri(config.walletLink))
    return 'GATEHOUSE_IDENTITY_WALLET_LINK must be a scheme such as openid4vp://, or the https address of a wallet';
  const host = new URL(identity.id()).hostname;
  const kind = config.walletClientId;
  if (config.haip && kind !== 'x509_hash')
    return 'GATEHOUSE_IDENTITY_WALLET_CLIENT_ID must be x509_hash with GATEHOUSE_IDENTITY_HAIP';
  if (kind === 'did' && identity.did() === undefined)
    return `GATEHOUSE_IDENTITY_WALLET_CLIENT_ID: did needs a GATEHOUSE_IDENTITY_URL with https, the name of a host and no path, which ${identity.id()} is not`;
  if (kind === 'x509_san_dns' && isIP(host.replaceAll(/[[\]]/g, '')) !== 0)
    return `GATEHOUSE_IDENTITY_WALLET_CLIENT_ID: x509_san_dns needs a GATEHOUSE_IDENTITY_URL with the name of a host, which ${host} is not`;
  if (kind === 'x509_san_dns' && !requestSigner.namesHost())
    return `GATEHOUSE_IDENTITY_WALLET_CLIENT_ID: x509_san_dns needs a certificate that names ${host}, which that of GATEHOUSE_IDENTITY_VERIFIER_CERT_FILE does not`;
  return undefined;
}

export function createWalletSignIn(deps: WalletSignInDeps) {
  const { clock, config, identity, requestSigner, ownTypes, log, providers } = deps;
  const policy = createWalletPolicy(deps);
  const formats = createFormats({ trust: trustInOwnKeys(identity), clock });
  const providerCredentials = createProviderCredentials(deps);
  let saidCut = false;

  /** Instead of the password, also credentials of others; where the domain of the provider has wallets at all. */
  async function askedProviders(place: WalletPlace): Promise<WalletProvider[]> {
    const found = place === 'first' ? await providers.list(MAX_LISTED) : [];
    const allowed = await Promise.all(found.map(({ domainId }) => policy.isAllowed({ domain_id: domainId }, place)));
    return found.filter((_, at) => allowed[at]);
  }

  async function query(place: WalletPlace): Promise<WalletQuery | undefined> {
    const asked = queryFor(await ownTypes(), await askedProviders(place));
    if (asked?.isCut && !saidCut) {
      saidCut = true;
      log.warn(
        { queries: MAX_QUERIES, types: MAX_NAMES },
        'wallets are not asked for all credentials that sign people in: there are more than fit into a query',
      );
    }
    return asked && config.haip ? asHaip(asked, identity) : asked;
  }

  return {
    policy,
    requests: createWalletRequests({ ...deps, query }),
    answers: createWalletAnswers({
      ...deps,
      providerCredentials,
      verifyOwn: createPresentationVerifier({ formats, clock }),
    }),
    entry: createWalletEntry({ ...deps, providerCredentials }),
    hasCredential: deps.hasCredential,
    isStillGood: providerCredentials.isStillGood,

    /** No wallet could read our requests. That must not be found out one by one. `next`: settings that are not in force yet. */
    async refuseImpossible(
      next?: Pick<IdentityConfig, 'walletSignIn'> & WalletSignInDeps['config'],
      reader?: Reader,
    ): Promise<void> {
      const isUsed =
        (next && next.walletSignIn !== 'off') ||
        (await policy.isOffered('first', reader)) ||
        (await policy.isOffered('second', reader));
      const why = isUsed ? impossibleIn({ identity, requestSigner, config: next ?? config }) : undefined;
      if (why !== undefined) throw new ConfigError(why);
    },
  };
}

export type WalletSignIn = ReturnType<typeof createWalletSignIn>;
