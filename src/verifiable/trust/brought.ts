// A key and a certificate chain that an operator brings. Checked at the start: a chain that nobody accepts would be noticed too late.
import { createPrivateKey, createPublicKey, type KeyObject, type X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigError } from '../../platform/config/index.ts';
import type { Log } from '../../platform/log/index.ts';
import { algorithmOf, type PublicJwk, publicJwkOf, thumbprintOf } from '../jose/index.ts';
import { parseAnchors } from './anchors.ts';
import { alternativeNamesOf, verifyChain } from './chain.ts';
import { startOf } from './period.ts';
import type { CertificatePurpose } from './usages.ts';

/** The names of its settings, and what it has to be for. */
export interface ChainSettings {
  readonly cert: string;
  readonly key: string;
  readonly purpose: CertificatePurpose;
}

export interface ChainFiles {
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
}

export interface ChainStart {
  /** Seconds. */
  readonly now: number;
  readonly log: Log;
}

export interface BroughtChain {
  readonly id: string;
  readonly key: KeyObject;
  readonly publicKey: PublicJwk;
  /** Leaf first, without the root. */
  readonly chain: readonly string[];
  /** Seconds. */
  readonly from: number;
  readonly until: number;
  /** Whether its certificate is also for something else. */
  isFor(purpose: CertificatePurpose): boolean;
  /** Whether its certificate names this address, or its host. */
  names(url: string): boolean;
}

function read<T>(name: string, file: string, parse: (text: string) => T): T {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(
      `${name}: cannot read ${file} (${(error as NodeJS.ErrnoException).code}); give the path of a readable PEM file`,
    );
  }
  try {
    return parse(text);
  } catch {
    // The reason could hold a part of the key.
    throw new ConfigError(`${name}: ${file} is not a PEM file of this kind`);
  }
}

const isRoot = (certificate: X509Certificate): boolean =>
  certificate.checkIssued(certificate) && certificate.verify(certificate.publicKey);

/** As somebody would check it who trusts the last certificate, at a time when all are valid. Returns why it is not accepted. */
function faultOf(certificates: readonly X509Certificate[], purpose: CertificatePurpose): string | undefined {
  const time = Math.max(...certificates.map(({ validFromDate }) => validFromDate.getTime()));
  try {
    verifyChain(certificates, [certificates.at(-1)!], time, purpose);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function isNamed(leaf: X509Certificate, url: string): boolean {
  const { hostname, href } = new URL(url);
  const { uris } = alternativeNamesOf(leaf);
  const names = [url, href];
  return uris.some((uri) => names.includes(uri)) || leaf.checkHost(hostname, { subject: 'never' }) !== undefined;
}

/** Undefined if none is brought. */
export function readBroughtChain(settings: ChainSettings, files: ChainFiles, { now, log }: ChainStart): BroughtChain | undefined {
  const { certFile, keyFile } = files;
  if (!certFile && !keyFile) return undefined;
  if (!certFile || !keyFile) throw new ConfigError(`${settings.cert} and ${settings.key} go together; set both or neither`);
  const certificates = read(settings.cert, certFile, parseAnchors);
  const key = read(settings.key, keyFile, (text) => createPrivateKey(text));
  const [leaf] = certificates;
  if (!leaf) throw new ConfigError(`${settings.cert}: there is no certificate in ${certFile}`);
  if (algorithmOf(createPublicKey(key)) !== 'ES256')
    throw new ConfigError(`${settings.key}: the key must be one of the curve P-256`);
  if (!leaf.checkPrivateKey(key))
    throw new ConfigError(`${settings.key}: it is not the key of the first certificate in ${certFile}`);
  const fault = faultOf(certificates, settings.purpose);
  if (fault !== undefined) throw new ConfigError(`${settings.cert}: the chain is not accepted: ${fault}`);
  const until = Math.floor(Math.min(...certificates.map(({ validToDate }) => validToDate.getTime())) / 1000);
  if (until <= now) log.warn({ until }, `${settings.cert}: the chain has expired, so that nobody accepts what is signed with it`);
  const sent = certificates.filter((certificate, at) => at === 0 || !isRoot(certificate));
  return {
    id: thumbprintOf(publicJwkOf(key)),
    key,
    publicKey: publicJwkOf(key),
    chain: sent.map(({ raw }) => raw.toString('base64')),
    from: Math.max(...certificates.map(startOf)),
    until,
    isFor: (purpose) => faultOf(certificates, purpose) === undefined,
    names: (url) => isNamed(leaf, url),
  };
}
