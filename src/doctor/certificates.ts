// The certificate with which the service itself terminates TLS, and the trust anchors of the wallet node.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getCACertificates } from 'node:tls';
import { parseAnchors } from '../verifiable/trust/index.ts';
import { type Deployment, daysBetween, type Finding, fail, ok, reasonOf, warn } from './finding.ts';

export const WARN_DAYS = 21;
export const FAIL_DAYS = 5;

/** Whether each certificate is signed by the next, up to an authority that this machine knows. */
function chainFault(chain: readonly X509Certificate[]): string | undefined {
  for (const [index, certificate] of chain.entries()) {
    const next = chain[index + 1];
    if (next && !(certificate.checkIssued(next) && certificate.verify(next.publicKey)))
      return `certificate ${index + 1} is not signed by the next in the file`;
  }
  const last = chain.at(-1)!;
  const isKnown = getCACertificates('default').some((pem) => {
    const authority = new X509Certificate(pem);
    return authority.fingerprint256 === last.fingerprint256 || (last.checkIssued(authority) && last.verify(authority.publicKey));
  });
  return isKnown ? undefined : 'the chain does not end at an authority that this machine trusts';
}

export function checkCertificate({ shared, identity, wallet, machine }: Deployment): Finding[] {
  const check = 'tls-certificate';
  const { tlsCertFile, tlsKeyFile } = shared;
  if (!tlsCertFile || !tlsKeyFile) return [ok(check, 'the service itself does no TLS')];
  try {
    const chain = parseAnchors(readFileSync(tlsCertFile, 'utf8'));
    const [own] = chain;
    if (!own)
      return [
        fail(
          check,
          `${tlsCertFile} contains no certificate`,
          'write the certificate and its intermediate certificates into it (PEM)',
        ),
      ];
    if (!own.checkPrivateKey(createPrivateKey(readFileSync(tlsKeyFile))))
      return [
        fail(
          check,
          'the key is not that of the certificate',
          'set GATEHOUSE_TLS_KEY_FILE to the key that the certificate was made for',
        ),
      ];
    const days = Math.min(...chain.map(({ validToDate }) => daysBetween(machine.now(), validToDate.getTime())));
    if (days < FAIL_DAYS)
      return [fail(check, days < 0 ? 'it has expired' : `it expires in ${days} days`, 'renew it, and restart the service')];
    if (own.validFromDate.getTime() > machine.now())
      return [fail(check, 'it is not valid yet', 'check the clock, or use another certificate')];
    const hosts = [identity?.url, wallet?.url].flatMap((url) => (url?.startsWith('https:') ? [new URL(url).hostname] : []));
    const other = hosts.find((host) => own.checkHost(host) === undefined && own.checkIP(host) === undefined);
    // Behind a proxy with TLS of its own the name may be another one, so this is no failure.
    if (other) return [warn(check, `it is not for ${other}`, `get a certificate that has ${hosts.join(' and ')}`)];
    const fault = chainFault(chain);
    if (fault)
      return [
        warn(check, fault, 'append the intermediate certificates to the file; for a CA of your own set NODE_EXTRA_CA_CERTS'),
      ];
    if (days < WARN_DAYS) return [warn(check, `it expires in ${days} days`, 'renew it, and restart the service')];
    return [ok(check, `valid for ${days} days`)];
  } catch (error) {
    return [
      fail(check, `it cannot be read (${reasonOf(error)})`, 'check GATEHOUSE_TLS_CERT_FILE and GATEHOUSE_TLS_KEY_FILE (PEM)'),
    ];
  }
}

export function checkTrustAnchors({ wallet, machine }: Deployment): Finding[] {
  const check = 'trust-anchors';
  if (!wallet) return [];
  const files = {
    ISSUER_TRUST_ANCHORS: wallet.issuerTrustAnchors ?? wallet.trustAnchors,
    VERIFIER_TRUST_ANCHORS: wallet.verifierTrustAnchors ?? wallet.trustAnchors,
  };
  let count = 0;
  for (const [name, file] of Object.entries(files)) {
    if (file === undefined) continue;
    try {
      const anchors = parseAnchors(readFileSync(file, 'utf8'));
      const ended = anchors.filter(({ validToDate }) => validToDate.getTime() < machine.now());
      if (ended.length > 0)
        return [
          warn(
            check,
            `${ended.length} of ${anchors.length} in ${file} have expired`,
            'remove them, and add their successors; the file is read again without a restart',
          ),
        ];
      count += anchors.length;
    } catch (error) {
      return [fail(check, `${file} cannot be read (${reasonOf(error)})`, `correct the file of GATEHOUSE_WALLET_${name} (PEM)`)];
    }
  }
  if (wallet.issuerTrust === 'listed' && files.ISSUER_TRUST_ANCHORS === undefined && wallet.trustedDids.length === 0)
    return [
      fail(
        check,
        'only listed issuers are trusted, and none is listed',
        'set GATEHOUSE_WALLET_ISSUER_TRUST_ANCHORS or GATEHOUSE_WALLET_TRUSTED_DIDS',
      ),
    ];
  return [ok(check, count === 0 ? 'none are configured' : `${count} certificates`)];
}
