// The key and the certificate chain that an operator brings. Checked at the start: a chain that no verifier accepts would be noticed too late.
import { createPrivateKey, createPublicKey, type KeyObject, type X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigError } from '../../../platform/config/index.ts';
import type { Log } from '../../../platform/log/index.ts';
import { algorithmOf, type PublicJwk, publicJwkOf, thumbprintOf } from '../../../verifiable/jose/index.ts';
import { alternativeNamesOf, parseAnchors, verifyChain } from '../../../verifiable/trust/index.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';

const CERT = 'GATEHOUSE_IDENTITY_ISSUER_CERT_FILE';
const KEY = 'GATEHOUSE_IDENTITY_ISSUER_KEY_FILE';

export interface BroughtKey {
  readonly id: string;
  readonly key: KeyObject;
  readonly publicKey: PublicJwk;
  /** Leaf first, without the root. */
  readonly chain: readonly string[];
  /** Seconds. */
  readonly until: number;
  /** Whether its certificate is one for mobile documents. */
  readonly signsDocuments: boolean;
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

/** As a verifier would check it that trusts the last certificate, at a time when all are valid. Returns why it is not accepted. */
function faultOf(certificates: readonly X509Certificate[], purpose: 'credential' | 'document'): string | undefined {
  const time = Math.max(...certificates.map(({ validFromDate }) => validFromDate.getTime()));
  try {
    verifyChain(certificates, [certificates.at(-1)!], time, purpose);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function checkName(leaf: X509Certificate, url: string): void {
  const { hostname, href } = new URL(url);
  const { uris } = alternativeNamesOf(leaf);
  const names = [url, href];
  if (uris.some((uri) => names.includes(uri)) || leaf.checkHost(hostname, { subject: 'never' }) !== undefined) return;
  throw new ConfigError(`${CERT}: the first certificate does not name ${hostname}, the host of GATEHOUSE_IDENTITY_URL`);
}

/** Undefined if none is brought. */
export function readBroughtKey(
  { issuerCertFile, issuerKeyFile, url }: Pick<IdentityConfig, 'issuerCertFile' | 'issuerKeyFile' | 'url'>,
  { now, log }: { readonly now: number; readonly log: Log },
): BroughtKey | undefined {
  if (!issuerCertFile && !issuerKeyFile) return undefined;
  if (!issuerCertFile || !issuerKeyFile) throw new ConfigError(`${CERT} and ${KEY} go together; set both or neither`);
  const certificates = read(CERT, issuerCertFile, parseAnchors);
  const key = read(KEY, issuerKeyFile, (text) => createPrivateKey(text));
  const [leaf] = certificates;
  if (!leaf) throw new ConfigError(`${CERT}: there is no certificate in ${issuerCertFile}`);
  if (algorithmOf(createPublicKey(key)) !== 'ES256') throw new ConfigError(`${KEY}: the key must be one of the curve P-256`);
  if (!leaf.checkPrivateKey(key))
    throw new ConfigError(`${KEY}: it is not the key of the first certificate in ${issuerCertFile}`);
  const fault = faultOf(certificates, 'credential');
  if (fault !== undefined) throw new ConfigError(`${CERT}: the chain is not accepted: ${fault}`);
  if (url) checkName(leaf, url);
  const until = Math.floor(Math.min(...certificates.map(({ validToDate }) => validToDate.getTime())) / 1000);
  if (until <= now) log.warn({ until }, `${CERT}: the chain has expired, so that nobody accepts what is signed with it`);
  const sent = certificates.filter((certificate, at) => at === 0 || !isRoot(certificate));
  return {
    id: thumbprintOf(publicJwkOf(key)),
    key,
    publicKey: publicJwkOf(key),
    chain: sent.map(({ raw }) => raw.toString('base64')),
    until,
    signsDocuments: faultOf(certificates, 'document') === undefined,
  };
}
