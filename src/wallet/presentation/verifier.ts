// Authenticates the verifier by the prefix of its client id.
import { X509Certificate } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { decodeJws, JwsError, verifyJws } from '../../verifiable/jose/index.ts';
import { readVerificationJwk } from '../../verifiable/resolver/index.ts';
import { type Trust, TrustError } from '../../verifiable/trust/index.ts';
import { displayText } from '../credentials/index.ts';
import { fail } from '../ground/faults.ts';
import type { Verifier } from './presentation.schema.ts';
import type { VerifierRequest } from './request.ts';

export interface VerifierRules {
  /** Allows verifiers with the prefix redirect_uri. */
  readonly allowUnauthenticated: boolean;
  /** DIDs whose verifier attestations are accepted. */
  readonly attesters: readonly string[];
  /** Registered client ids (without a prefix) with their response addresses. */
  readonly registered: Readonly<Record<string, { readonly responseUris: readonly string[]; readonly name?: string }>>;
}

const untrusted = (why: string): never => fail('untrusted-verifier', { why });

/** Checks the verifier attestation: its issuer, the client id, the key and the response address (OID4VP, 12). */
async function checkAttestation(
  { requestObject, resolved, responseUri }: VerifierRequest,
  { trust, clock, rules }: { trust: Trust; clock: Clock; rules: VerifierRules },
): Promise<void> {
  const { header } = decodeJws(requestObject);
  const { header: own, payload } = decodeJws(header.jwt);
  if (own.typ !== 'verifier-attestation+jwt') untrusted('its attestation has the wrong type');
  if (payload.sub !== resolved.client.identifier) untrusted('its attestation is about another');
  if (typeof payload.exp !== 'number' || payload.exp * 1000 <= clock.now()) untrusted('its attestation has expired');
  const issuer = typeof payload.iss === 'string' ? payload.iss : '';
  // Only attesters that the operator configured are accepted. A certificate under an anchor is not enough.
  if (!rules.attesters.includes(issuer)) untrusted('nobody trusted made its attestation');
  const { jwk } = await trust.keyOfJwt(own, issuer);
  await verifyJws(header.jwt as string, jwk);
  await verifyJws(requestObject!, attestedKeyOf(payload.cnf));
  const addresses = payload.redirect_uris;
  if (Array.isArray(addresses) && !addresses.includes(responseUri)) untrusted('its attestation is for another address');
}

function attestedKeyOf(cnf: unknown): ReturnType<typeof readVerificationJwk> {
  try {
    return readVerificationJwk((cnf as { jwk?: unknown } | undefined)?.jwk);
  } catch {
    return untrusted('its attestation names no key');
  }
}

/** The certificate that signed the request, for display. The chain was verified with the signature. */
function certificateOf(requestObject: string): Pick<Verifier, 'certificate'> {
  const [leaf] = decodeJws(requestObject).header.x5c as string[];
  const certificate = new X509Certificate(Buffer.from(leaf!, 'base64'));
  const onOneLine = (name: string): string => name.split('\n').join(', ').slice(0, 500);
  return {
    certificate: {
      subject: onOneLine(certificate.subject),
      issuer: onOneLine(certificate.issuer),
      validUntil: certificate.validToDate.toISOString(),
    },
  };
}

export async function authenticateVerifier(
  request: VerifierRequest,
  deps: { trust: Trust; clock: Clock; rules: VerifierRules },
): Promise<Verifier> {
  const { rules } = deps;
  const { resolved, responseUri, requestObject } = request;
  const { client } = resolved;
  const metadata = client.clientMetadata as { client_name?: unknown } | undefined;
  const name = displayText(metadata?.client_name, 200);
  const about = {
    clientId: client.effective,
    prefix: client.prefix,
    ...(name === undefined ? {} : { name }),
  };
  // All other prefixes require a signed request.
  if (client.prefix !== 'redirect_uri' && client.prefix !== 'pre-registered' && requestObject === undefined)
    untrusted('its request is not signed');
  try {
    switch (client.prefix) {
      case 'redirect_uri':
        if (!rules.allowUnauthenticated) untrusted('verifiers that do not prove who they are are not served');
        if (client.identifier !== responseUri) untrusted('the answer would go elsewhere than to its client_id');
        return { ...about, authenticated: false, trust: 'none' };
      case 'decentralized_identifier':
        return { ...about, authenticated: true, trust: 'did' };
      case 'x509_san_dns':
        if (new URL(responseUri).hostname !== client.identifier)
          untrusted('the answer would go to another host than its certificate names');
        return { ...about, authenticated: true, trust: 'anchor', ...certificateOf(requestObject!) };
      case 'x509_hash':
        return { ...about, authenticated: true, trust: 'anchor', ...certificateOf(requestObject!) };
      case 'verifier_attestation':
        await checkAttestation(request, deps);
        return { ...about, authenticated: true, trust: 'attestation' };
      case 'pre-registered': {
        const registered = Object.hasOwn(rules.registered, client.identifier) ? rules.registered[client.identifier]! : undefined;
        if (!registered?.responseUris.includes(responseUri))
          return untrusted('it is not registered here, or not with this address');
        // The request is not signed: the name in it is anybody's.
        const { name: _, ...known } = about;
        return { ...known, ...(registered.name ? { name: registered.name } : {}), authenticated: false, trust: 'registered' };
      }
      default:
        return untrusted(`client ids of the kind ${client.prefix} are not supported`);
    }
  } catch (error) {
    if (error instanceof TrustError) return untrusted(error.message);
    if (error instanceof JwsError) return untrusted('a signature is not valid');
    throw error;
  }
}
