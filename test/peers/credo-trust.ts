// Certificates and DIDs a Credo peer signs with.
import { type Agent, Kms, type X509Certificate, X509KeyUsage } from '@credo-ts/core';

const DAY = 86_400_000;

export async function newKey(agent: Agent): Promise<Kms.PublicJwk> {
  const { publicJwk } = await agent.kms.createKey({ type: { kty: 'EC', crv: 'P-256' } });
  return Kms.PublicJwk.fromPublicJwk(publicJwk as never);
}

/** A root of its own, and a certificate for `host` under it. */
export async function certificates(agent: Agent, host: string): Promise<{ root: X509Certificate; leaf: X509Certificate }> {
  const authorityKey = await newKey(agent);
  const subjectPublicKey = await newKey(agent);
  const validity = { notBefore: new Date(Date.now() - DAY), notAfter: new Date(Date.now() + 365 * DAY) };
  const issuer = { commonName: 'Root of the tests', countryName: 'DE' };
  const root = await agent.x509.createCertificate({
    authorityKey,
    issuer,
    validity,
    extensions: {
      subjectKeyIdentifier: { include: true },
      keyUsage: { usages: [X509KeyUsage.KeyCertSign, X509KeyUsage.CrlSign], markAsCritical: true },
      basicConstraints: { ca: true, pathLenConstraint: 0, markAsCritical: true },
    },
  });
  const leaf = await agent.x509.createCertificate({
    authorityKey,
    subjectPublicKey,
    issuer,
    subject: { commonName: host, countryName: 'DE' },
    validity,
    extensions: {
      subjectKeyIdentifier: { include: true },
      authorityKeyIdentifier: { include: true },
      keyUsage: { usages: [X509KeyUsage.DigitalSignature], markAsCritical: true },
      subjectAlternativeName: { name: [{ type: 'dns', value: host }] },
    },
  });
  leaf.publicJwk.keyId = subjectPublicKey.keyId;
  return { root, leaf };
}

/** The DID URL of a fresh key: `key` with Ed25519 or `jwk` with P-256. */
export async function didUrl(agent: Agent, method: 'key' | 'jwk'): Promise<string> {
  const type = method === 'key' ? { kty: 'OKP', crv: 'Ed25519' } : { kty: 'EC', crv: 'P-256' };
  const { didState } = await agent.dids.create({ method, options: { createKey: { type } } } as never);
  if (didState.state !== 'finished') throw new Error(`no did:${method}: ${JSON.stringify(didState)}`);
  return didState.didDocument.verificationMethod![0]!.id;
}
