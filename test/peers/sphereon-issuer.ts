// Sphereon as an OpenID4VCI issuer (it calls its wire "draft 15"; a 1.0 wallet gets along), in a process of its own:
// pre-authorized code, one SD-JWT VC a request. Settings come as JSON in SPHEREON_ISSUER: { host?, port?, tls?: { key, cert } }.
// Prints one line of JSON: address of the issuer, address of the control.
//
// POST /offers        { txCode?, claims? } → { session, offer, txCode }
// GET  /sessions/:id  → { state, error, notification }
import { createHash, randomBytes } from 'node:crypto';
import { SDJwtInstance } from '@sd-jwt/core';
import { type VcIssuer, VcIssuerBuilder } from '@sphereon/oid4vci-issuer';
import { notificationEndpoint, OID4VCIServer } from '@sphereon/oid4vci-issuer-server';
import { ExpressBuilder } from '@sphereon/ssi-express-support';
import { compactVerify, decodeProtectedHeader, exportJWK, generateKeyPair, importJWK, SignJWT } from 'jose';
import { announce, control, open } from './control.ts';

type Verify = NonNullable<VcIssuer['jwtVerifyCallback']>;

const GRANT = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
const VCT = 'urn:example:person';
const CLAIMS = { given_name: 'Ada', family_name: 'Lovelace', birth_date: '1815-12-10' };

const { address, serve } = await open(JSON.parse(process.env.SPHEREON_ISSUER ?? '{}'));
const baseUrl = `${address}/sphereon`;
const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
const did = `did:jwk:${Buffer.from(JSON.stringify(await exportJWK(publicKey))).toString('base64url')}`;

const signer = new SDJwtInstance({
  hasher: (data, algorithm) =>
    createHash(algorithm.replace('-', ''))
      .update(Buffer.from(data as string))
      .digest(),
  hashAlg: 'sha-256',
  saltGenerator: () => randomBytes(16).toString('base64url'),
  signAlg: 'ES256',
  signer: async (data) => {
    const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, Buffer.from(data));
    return Buffer.from(signature).toString('base64url');
  },
});

/** A wallet's proof, by the key in its header or of its did:jwk. */
const verifyProof: Verify = async ({ jwt }) => {
  const { kid, jwk, alg } = decodeProtectedHeader(jwt);
  const holder = kid?.startsWith('did:jwk:') ? kid.split('#')[0]! : undefined;
  const key = holder ? JSON.parse(Buffer.from(holder.slice('did:jwk:'.length), 'base64url').toString()) : jwk;
  if (!key) throw new Error('a proof has a jwk, or a kid that is a did:jwk');
  const { payload, protectedHeader } = await compactVerify(jwt, await importJWK(key, alg));
  const proof = { header: protectedHeader, payload: JSON.parse(Buffer.from(payload).toString()) };
  return { jwt: proof, alg, ...(holder ? { kid, did: holder, didDocument: { id: holder } } : { jwk: key }) } as never;
};

/** Tokens carry `preAuthorizedCode`; the notification endpoint looks for the other spelling. */
const verifyToken: Verify = async ({ jwt }) => {
  const { payload, protectedHeader } = await compactVerify(jwt, publicKey);
  const claims = JSON.parse(Buffer.from(payload).toString());
  return { jwt: { header: protectedHeader, payload: { ...claims, 'pre-authorized_code': claims.preAuthorizedCode } } } as never;
};

const issuer: VcIssuer = new VcIssuerBuilder()
  .withCredentialIssuer(baseUrl)
  .withCredentialEndpoint(`${baseUrl}/credentials`)
  .withNonceEndpoint(`${baseUrl}/nonce`)
  .withIssuerDisplay({ name: 'Sphereon', locale: 'en' })
  .withAuthorizationMetadata({
    issuer: baseUrl,
    token_endpoint: `${baseUrl}/token`,
    response_types_supported: ['none'],
    grant_types_supported: [GRANT],
    'pre-authorized_grant_anonymous_access_supported': true,
  } as never)
  .addCredentialConfigurationsSupported('person', {
    format: 'dc+sd-jwt',
    vct: VCT,
    scope: 'person',
    cryptographic_binding_methods_supported: ['jwk', 'did:jwk'],
    credential_signing_alg_values_supported: ['ES256'],
    proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES256', 'EdDSA'] } },
  } as never)
  .withInMemoryCredentialOfferState()
  .withInMemoryCredentialOfferURIState()
  .withInMemoryCNonceState()
  .withJWTVerifyCallback(verifyProof)
  .withCredentialDataSupplier(async ({ credentialDataSupplierInput }) => ({
    format: 'dc+sd-jwt',
    credential: { vct: VCT, iss: did, iat: Math.floor(Date.now() / 1000), ...credentialDataSupplierInput } as never,
  }))
  .withCredentialSignerCallback(async ({ credential }) => {
    const hidden = Object.keys(credential).filter((name) => !['vct', 'iss', 'iat', 'cnf'].includes(name));
    return signer.issue(credential as never, { _sd: hidden } as never, { header: { typ: 'dc+sd-jwt', kid: `${did}#0` } });
  })
  .build();
issuer.issuerMetadata.notification_endpoint = `${baseUrl}/notification`;

const support = ExpressBuilder.fromServerOpts({ hostname: '127.0.0.1', port: 1 }).build({ startListening: false });
const { router } = new OID4VCIServer(support, {
  issuer,
  baseUrl,
  endpointOpts: {
    tokenEndpointOpts: {
      accessTokenVerificationCallback: verifyToken,
      accessTokenSignerCallback: ({ header, payload }) =>
        new SignJWT(payload as never).setProtectedHeader({ ...header, alg: 'ES256' } as never).sign(privateKey),
    },
  },
});
notificationEndpoint(router, issuer, { baseUrl, accessTokenVerificationCallback: verifyToken });
serve(support.express);

const controlled = await control({
  'POST /offers': async ({ txCode, claims = CLAIMS }) => {
    const code = randomBytes(16).toString('base64url');
    const { uri, userPin } = (await issuer.createCredentialOfferURI({
      offerMode: 'VALUE',
      credential_configuration_ids: ['person'],
      grants: { [GRANT]: { 'pre-authorized_code': code, ...(txCode ? { tx_code: { input_mode: 'numeric', length: 6 } } : {}) } },
      credentialDataSupplierInput: claims,
    })) as any;
    return { session: code, offer: uri, txCode: userPin };
  },
  'GET /sessions/:id': async (_, id) => {
    const { status, error, notification } = await issuer.getCredentialOfferSessionById(id, ['preAuthorizedCode']);
    return { state: status, error, notification };
  },
});
announce({ address: baseUrl, control: controlled });
