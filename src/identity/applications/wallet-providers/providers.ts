// The list of trusted wallet providers, a file of the operator. A provider says of a wallet that it is one of theirs (OID4VCI, appendix E),
// and of keys how they are stored (appendix D). Read at the start: a list that trusts nobody would be noticed too late.
import { createPublicKey, type KeyObject, type X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Clock } from '../../../platform/clock.ts';
import { ConfigError } from '../../../platform/config/index.ts';
import { algorithmOf, type PublicJwk } from '../../../verifiable/jose/index.ts';
import { readVerificationJwk } from '../../../verifiable/resolver/index.ts';
import { ChainError, parseAnchors, parseX5c, verifyChain } from '../../../verifiable/trust/index.ts';
import { isRedirectUri } from '../consumers/index.ts';

const FILE = 'GATEHOUSE_IDENTITY_WALLET_PROVIDERS_FILE';
const MAX_NAME = 100;
const MAX_CLIENT_ID = 255;
/** Clients that are part of the installation. */
const OURS = /^gatehouse_/;
/** RFC 6749, A.1. */
const CLIENT_ID = /^[\x20-\x7e]+$/;

/** Why an attestation is not believed. It names no key and no wallet. */
export class AttestationError extends Error {}

/** A wallet that a provider attests: all copies of it share the client id. */
export interface AttestedWallet {
  readonly clientId: string;
  /** As people see it when they are asked for consent. */
  readonly name: string;
  readonly redirectUris: readonly string[];
}

interface Provider {
  readonly name: string;
  readonly anchors: readonly X509Certificate[];
  readonly keys: readonly { readonly kid: string | undefined; readonly jwk: PublicJwk }[];
  readonly wallets: readonly AttestedWallet[];
}

type Json = Readonly<Record<string, unknown>>;

const refuse = (why: string): never => {
  throw new ConfigError(`${FILE}: ${why}`);
};

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

function textFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return refuse(`cannot read ${path} (${(error as NodeJS.ErrnoException).code})`);
  }
}

function anchorsOf(path: string): X509Certificate[] {
  let anchors: X509Certificate[];
  try {
    anchors = parseAnchors(textFile(path));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    return refuse(`${path} is not a PEM file of certificates`);
  }
  return anchors.length > 0 ? anchors : refuse(`there is no certificate in ${path}`);
}

function keysOf(jwks: unknown, name: string): Provider['keys'] {
  const keys = isObject(jwks) ? jwks.keys : undefined;
  if (!Array.isArray(keys) || keys.length === 0) return refuse(`the jwks of ${name} has no keys`);
  return keys.map((key: unknown) => {
    try {
      const { kid } = key as Json;
      return { kid: typeof kid === 'string' ? kid : undefined, jwk: readVerificationJwk(key) };
    } catch {
      return refuse(`a key of ${name} cannot be used`);
    }
  });
}

function walletOf(value: unknown, name: string): AttestedWallet {
  const { client_id: clientId, redirect_uris: uris = [] } = isObject(value) ? value : {};
  if (typeof clientId !== 'string' || !CLIENT_ID.test(clientId) || clientId.length > MAX_CLIENT_ID)
    return refuse(`a client of ${name} has no client_id`);
  if (OURS.test(clientId)) return refuse(`${clientId} is a client of this service`);
  const isGood = (uri: unknown): boolean => typeof uri === 'string' && isRedirectUri(uri);
  if (!Array.isArray(uris) || !uris.every(isGood)) return refuse(`the redirect_uris of ${clientId} are not addresses`);
  return { clientId, name, redirectUris: uris as string[] };
}

function providerOf(value: unknown, folder: string): Provider {
  const { name, certificates_file: file, jwks, clients = [] } = isObject(value) ? value : {};
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME) return refuse('a provider has no name');
  if (file === undefined && jwks === undefined) return refuse(`${name} needs a certificates_file, or jwks`);
  if (file !== undefined && typeof file !== 'string') return refuse(`the certificates_file of ${name} is not a path`);
  if (!Array.isArray(clients)) return refuse(`the clients of ${name} are not a list`);
  return {
    name,
    anchors: file === undefined ? [] : anchorsOf(resolve(folder, file)),
    keys: jwks === undefined ? [] : keysOf(jwks, name),
    wallets: clients.map((client: unknown) => walletOf(client, name)),
  };
}

function readProviders(file: string): Provider[] {
  let value: unknown;
  try {
    value = JSON.parse(textFile(file));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    return refuse(`${file} is not JSON`);
  }
  const list = isObject(value) ? value.providers : undefined;
  if (!Array.isArray(list) || list.length === 0) return refuse(`${file} has no providers`);
  return list.map((one: unknown) => providerOf(one, dirname(resolve(file))));
}

export interface WalletProvidersDeps {
  readonly clock: Clock;
  readonly config: {
    readonly walletProvidersFile: string | undefined;
    readonly haip: boolean;
  };
}

export function readWalletProviders({ clock, config }: WalletProvidersDeps) {
  const providers = config.walletProvidersFile === undefined ? [] : readProviders(config.walletProvidersFile);
  const wallets = new Map<string, { readonly wallet: AttestedWallet; readonly provider: Provider }>();
  for (const provider of providers)
    for (const wallet of provider.wallets) {
      // Two providers that speak for one client: neither could be told from the other.
      if (wallets.has(wallet.clientId)) refuse(`${wallet.clientId} is a client twice`);
      wallets.set(wallet.clientId, { wallet, provider });
    }

  /** The chain must not have the anchor itself, nor be signed by itself (HAIP 1.0, 4.4.1 and 4.5.1). */
  function keyOfChain(x5c: unknown, { anchors }: Provider): KeyObject {
    const chain = parseX5c(x5c);
    if (chain.some((one) => anchors.some(({ raw }) => raw.equals(one.raw))))
      throw new ChainError('the chain has the trust anchor in it');
    return verifyChain(chain, anchors, clock.now(), 'attestation').leaf.publicKey;
  }

  function keyOfProvider({ x5c, kid }: Json, provider: Provider): KeyObject {
    if (x5c !== undefined) return keyOfChain(x5c, provider);
    if (config.haip) throw new AttestationError('it has no x5c');
    const named = provider.keys.filter((key) => kid === undefined || key.kid === kid);
    const [found] = named;
    if (!found || named.length > 1) throw new AttestationError('its header names no key of the provider');
    return createPublicKey({ key: found.jwk as never, format: 'jwk' });
  }

  function keyIn(header: Json, among: readonly Provider[]): KeyObject {
    for (const provider of among)
      try {
        const key = keyOfProvider(header, provider);
        if (algorithmOf(key) !== undefined) return key;
      } catch (error) {
        if (!(error instanceof ChainError || error instanceof AttestationError)) throw error;
      }
    throw new AttestationError('nobody who is trusted made it');
  }

  return {
    /** Whether attestations are read at all. */
    isKnown: providers.length > 0,
    /** The certificates by which each is known. */
    authorities: providers.map(({ name, anchors }) => ({ name, certificates: anchors })),
    wallet: (clientId: string): AttestedWallet | undefined => wallets.get(clientId)?.wallet,
    /** The key of an attestation of this wallet: only its own provider may attest it. */
    keyForWallet(header: Json, clientId: string): KeyObject {
      const provider = wallets.get(clientId)?.provider;
      return keyIn(header, provider ? [provider] : []);
    },
    /** The key of an attestation of keys. */
    keyForKeys: (header: Json): KeyObject => keyIn(header, providers),
  };
}

export type WalletProviders = ReturnType<typeof readWalletProviders>;
