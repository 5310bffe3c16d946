// Clients that prove themselves by the certificate of their connection (RFC 8705). Who has issued it is checked here, also behind a proxy: a proxy
// may pass on certificates that nobody trusts.
import type { X509Certificate } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log/index.ts';
import { ChainError, createAnchors, hasName, verifyChain } from '../../../verifiable/trust/index.ts';
import {
  type CertificateName,
  type ClientKey,
  certificateThumbprint,
  type RegisteredAuthentication,
} from '../../applications/consumers/index.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';
import type { ClientKeys } from './client-keys.ts';

export interface CertificateDeps {
  readonly config: Pick<IdentityConfig, 'clientCaFile' | 'clientCertificateHeader' | 'tlsClientCertificates'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly keys: ClientKeys;
}

const KINDS = {
  tls_client_auth_subject_dn: 'subject',
  tls_client_auth_san_dns: 'dns',
  tls_client_auth_san_uri: 'uri',
  tls_client_auth_san_ip: 'ip',
  tls_client_auth_san_email: 'email',
} as const satisfies Readonly<Record<CertificateName, string>>;

const isOneOf = (certificate: X509Certificate, keys: readonly ClientKey[]): boolean =>
  keys.some((key) => key.certificate && certificateThumbprint(key.certificate) === certificateThumbprint(certificate));

export function createClientCertificates({ config, clock, log, keys }: CertificateDeps) {
  const anchors = createAnchors(config.clientCaFile, log);

  const checks = {
    /** Whether connections can have certificates at all. */
    areAsked: config.tlsClientCertificates || config.clientCertificateHeader !== undefined,

    /** Whether a trusted authority has issued it, for clients of TLS, and it is valid now. */
    isTrusted(certificate: X509Certificate): boolean {
      try {
        verifyChain([certificate], anchors(), clock.now(), 'client');
        return true;
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        log.info({ reason: error.message }, 'the certificate of an application was refused');
        return false;
      }
    },

    hasName(certificate: X509Certificate, name: CertificateName, expected: string): boolean {
      try {
        return hasName(certificate, KINDS[name], expected);
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        return false;
      }
    },

    /** Whether a certificate is one of a client: at our own endpoints. The library asks for each part. */
    async prove(registered: RegisteredAuthentication, certificate: X509Certificate): Promise<boolean> {
      if (registered.method === 'self_signed_tls_client_auth') return isOneOf(certificate, await keys.read(registered));
      const [name, ...others] = registered.names;
      return (
        registered.method === 'tls_client_auth' &&
        name !== undefined &&
        others.length === 0 &&
        checks.isTrusted(certificate) &&
        checks.hasName(certificate, ...name)
      );
    },
  };
  return checks;
}

export type ClientCertificates = ReturnType<typeof createClientCertificates>;
