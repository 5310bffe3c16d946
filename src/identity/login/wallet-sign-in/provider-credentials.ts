// Credentials of other issuers: whom a provider trusts is decided by its settings alone, and read again whenever it matters.
import { X509Certificate } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import type { Outbound } from '../../../platform/outbound/index.ts';
import {
  createFormats,
  type ExpectedPresentation,
  FORMATS,
  listVerifier,
  reject as refuse,
  type VerifiedCredential,
} from '../../../verifiable/formats/index.ts';
import { createPresentationVerifier, type PresentationVerifier } from '../../../verifiable/presentations/index.ts';
import { createResolver } from '../../../verifiable/resolver/index.ts';
import { createStatus, type Status } from '../../../verifiable/status/index.ts';
import { createTrust } from '../../../verifiable/trust/index.ts';
import type { AskedCredential, WalletProvider, WalletProviders } from '../federation/index.ts';
import { claimAt, isWithin, onlyAt } from './claims.ts';
import type { CredentialState, ProviderCredential, ProviderSource, VerifierIdentity } from './data.ts';

export interface ProviderCredentialDeps {
  readonly clock: Clock;
  readonly outbound: Outbound;
  /** Hosts that may be asked without https. */
  readonly outboundAllow: readonly string[];
  readonly providers: WalletProviders;
  readonly identity: Pick<VerifierIdentity, 'id' | 'did'>;
}

interface ProviderVerifier {
  readonly version: number;
  readonly verify: PresentationVerifier;
  readonly status: Status;
}

/** Verifiers are kept with the status lists and keys that they have read. */
const MAX_VERIFIERS = 100;
const MAX_SUBJECT = 512;
/** Of the issuer, the claim and the subject together, in bytes: PostgreSQL has an index over them. */
const MAX_NAMES = 2400;
/** Half of a surrogate pair has no UTF-8: different names with one would be stored as the same. */
const isName = (text: string): boolean => text.trim() !== '' && text.isWellFormed() && !/\p{Cc}/u.test(text);

/** A text that can be stored, and is compared as it is. */
function subjectOf(claims: VerifiedCredential['claims'], path: readonly string[]): string {
  const subject = claimAt(claims, path);
  if (typeof subject !== 'string' || subject.length > MAX_SUBJECT || !isName(subject))
    return refuse('no-subject', 'it does not say who the person is');
  return subject;
}

/** The name by which people and lists know it. */
function issuerOf(credential: VerifiedCredential, { issuers }: WalletProvider): string {
  const name = FORMATS[credential.format].issuerName(credential);
  if (name === undefined) return refuse('no-issuer', 'its issuer is named by a certificate only');
  if (issuers.length > 0 && !issuers.includes(name)) refuse('untrusted', 'its issuer is not one that the provider trusts');
  if (!isName(name)) refuse('no-issuer', 'the name of its issuer cannot be stored');
  return name;
}

export function createProviderCredentials({ clock, outbound, outboundAllow, providers, identity }: ProviderCredentialDeps) {
  const resolver = createResolver({ outbound, clock, insecureHosts: outboundAllow });
  const verifiers = new Map<string, ProviderVerifier>();

  function newVerifier({ version, issuers, rootCertificates }: WalletProvider): ProviderVerifier {
    const roots = rootCertificates.map((text) => new X509Certificate(text));
    const trust = createTrust({
      outbound,
      resolver,
      clock,
      anchors: () => roots,
      policy: { mode: 'listed', dids: issuers, issuers, documentSignersOnly: true },
      isDevelopment: outboundAllow.length > 0,
    });
    const formats = createFormats({ trust, clock });
    return {
      version,
      verify: createPresentationVerifier({ formats, clock, resolver }),
      status: createStatus({ outbound, trust, clock, verifyList: listVerifier(formats) }),
    };
  }

  /** Of exactly these settings: what was fetched for others belongs to them. */
  function verifierOf(provider: WalletProvider): ProviderVerifier {
    const known = verifiers.get(provider.id);
    if (known?.version === provider.version) return known;
    const verifier = newVerifier(provider);
    verifiers.delete(provider.id);
    verifiers.set(provider.id, verifier);
    if (verifiers.size > MAX_VERIFIERS) verifiers.delete(verifiers.keys().next().value!);
    return verifier;
  }

  /** Undefined when the provider cannot be used now, or its settings are others than then. */
  async function current({ providerId, version }: Pick<ProviderSource, 'providerId' | 'version'>) {
    const provider = await providers.find(providerId);
    return provider?.version === version ? provider : undefined;
  }

  /** Everything that is issued here has an entry in a list of ours. */
  const hasOwnEntry = ({ status }: VerifiedCredential): boolean =>
    status !== undefined && status.kind !== 'unreadable' && status.uri.startsWith(`${identity.id()}/`);

  function stateOf(
    provider: WalletProvider,
    { format, issuer, status, validUntil, authorityKeyIds }: VerifiedCredential,
  ): CredentialState {
    if (!status && provider.requiresStatus) refuse('no-status', 'it has no entry in a status list');
    return {
      providerId: provider.id,
      version: provider.version,
      issuer: issuer.id,
      ...(authorityKeyIds ? { authorityKeyIds } : {}),
      ...(FORMATS[format].isTrustedByRootsOnly ? { isOfDocument: true } : {}),
      ...(status ? { status } : {}),
      ...(validUntil === undefined ? {} : { validUntil }),
    };
  }

  function claimsOf(
    credential: VerifiedCredential,
    { format, subject, claims: paths }: AskedCredential,
  ): Record<string, unknown> {
    const { claims, partialLists = [] } = credential;
    // A mapping may depend on what is not there, so that nothing that was asked for may be held back.
    if (paths.some((path) => claimAt(claims, path) === undefined)) refuse('no-claim', 'a claim that was asked for is missing');
    if (partialLists.some((list) => paths.some((path) => isWithin(list, path))))
      refuse('no-claim', 'a part of a list that was asked for is held back');
    return { ...onlyAt(claims, [subject, ...paths]), ...FORMATS[format].about(credential) };
  }

  return {
    /** Throws CredentialRejectedError or TrustError. `isAsked`: whether it is of the type that was asked for. */
    async verify(
      source: ProviderSource,
      presentation: unknown,
      expected: ExpectedPresentation,
      isAsked: (credential: VerifiedCredential) => boolean,
    ): Promise<ProviderCredential> {
      const provider = (await current(source)) ?? refuse('changed', 'the provider was changed since it was asked for');
      const asked = provider.credentials[source.at]!;
      const credential = await verifierOf(provider).verify(asked.format, presentation, expected);
      if (!isAsked(credential)) refuse('wrong-type', 'it is of another type than was asked for');
      const issuer = issuerOf(credential, provider);
      // Ours count by our record of them: to which key, whether an application has it, and whether it is valid at this moment.
      if (issuer === identity.id() || issuer === identity.did() || hasOwnEntry(credential)) refuse('own', 'it was issued here');
      const subject = subjectOf(credential.claims, asked.subject);
      const statement = { issuer, subjectPath: asked.subject, subject, claims: claimsOf(credential, asked) };
      const assertion = providers.assertionOf(provider, statement);
      if (Buffer.byteLength(assertion.issuer + subject) > MAX_NAMES)
        refuse('no-subject', 'the names of its issuer and of the person are too long');
      return { kind: 'provider', assertion, state: stateOf(provider, credential) };
    },

    /** Whether it is good at this moment, by the settings it was checked with. A list that cannot be read says nothing good. */
    async isStillGood(state: CredentialState): Promise<boolean> {
      const { status, validUntil = Number.POSITIVE_INFINITY, issuer, authorityKeyIds, isOfDocument = false } = state;
      const provider = await current(state);
      if (!provider || validUntil <= clock.now()) return false;
      if (!status) return !provider.requiresStatus;
      const by = { issuer, isOfDocument, ...(authorityKeyIds ? { authorityKeyIds } : {}) };
      return (await verifierOf(provider).status.of(status, { ...by, fresh: true })) === 'valid';
    },
  };
}

export type ProviderCredentials = ReturnType<typeof createProviderCredentials>;
