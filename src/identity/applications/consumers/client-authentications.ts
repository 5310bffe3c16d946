// How applications prove who they are at the endpoints that ask for it. Whoever adds a way is asked by the compiler for its line here, for what
// the library is told of such a client (openid/provider/clients.ts), and for its check at our own endpoint (openid/provider/introspection.ts).

/** By `token_endpoint_auth_method` (RFC 7591). */
export type ClientAuthenticationMethod =
  | 'client_secret_basic'
  | 'client_secret_post'
  | 'private_key_jwt'
  | 'tls_client_auth'
  | 'self_signed_tls_client_auth'
  | 'workload_jwt'
  | 'none';

/** What proves it: the secret, an assertion that it has signed (RFC 7523) or the platform that runs it, the certificate of its connection (RFC 8705), or nothing. */
export type ClientProof = 'secret' | 'key' | 'workload' | 'certificate' | 'nothing';

interface ClientAuthentication {
  readonly proof: ClientProof;
  /** What has to be registered for it: keys, a name in certificates, or who it is on its platform. */
  readonly needs?: 'keys' | 'name' | 'identities';
}

export const CLIENT_AUTHENTICATIONS: Readonly<Record<ClientAuthenticationMethod, ClientAuthentication>> = {
  client_secret_basic: { proof: 'secret' },
  client_secret_post: { proof: 'secret' },
  private_key_jwt: { proof: 'key', needs: 'keys' },
  /** Issued by an authority that is trusted, for one name. */
  tls_client_auth: { proof: 'certificate', needs: 'name' },
  /** One that is registered itself. */
  self_signed_tls_client_auth: { proof: 'certificate', needs: 'keys' },
  /** Our own: the JWT of a platform that is trusted for this application, such as a Kubernetes cluster or SPIFFE. */
  workload_jwt: { proof: 'workload', needs: 'identities' },
  none: { proof: 'nothing' },
};

export const CLIENT_AUTHENTICATION_METHODS = Object.keys(CLIENT_AUTHENTICATIONS) as readonly ClientAuthenticationMethod[];

/** The name that certificates have to have, for `tls_client_auth`: exactly one of these (RFC 8705, 2.1.2). */
export const CERTIFICATE_NAMES = [
  'tls_client_auth_subject_dn',
  'tls_client_auth_san_dns',
  'tls_client_auth_san_uri',
  'tls_client_auth_san_ip',
  'tls_client_auth_san_email',
] as const;
export type CertificateName = (typeof CERTIFICATE_NAMES)[number];
