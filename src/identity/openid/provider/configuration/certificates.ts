// Mutual TLS (RFC 8705), as the library asks for it.
import type { Configuration } from 'oidc-provider';
import type { CertificateOf } from '../../../../platform/http/index.ts';
import {
  CERTIFICATE_NAMES,
  CLIENT_AUTHENTICATION_METHODS,
  CLIENT_AUTHENTICATIONS,
} from '../../../applications/consumers/index.ts';
import type { ClientCertificates } from '../../client-authentication/index.ts';

export interface CertificateFeatureDeps {
  readonly clientCertificates: ClientCertificates;
  readonly certificateOf: CertificateOf;
}

/**
 * Those that the library knows. Without certificates nobody is told that they could be used, and who is registered with one is refused.
 */
export function clientAuthMethodsOf({ clientCertificates: { areAsked } }: CertificateFeatureDeps) {
  const unknown = ['workload', ...(areAsked ? [] : ['certificate'])];
  return CLIENT_AUTHENTICATION_METHODS.filter((method) => !unknown.includes(CLIENT_AUTHENTICATIONS[method].proof));
}

export const mutualTls = ({ clientCertificates, certificateOf }: CertificateFeatureDeps) =>
  ({
    enabled: clientCertificates.areAsked,
    certificateBoundAccessTokens: true,
    selfSignedTlsClientAuth: true,
    tlsClientAuth: true,
    getCertificate: ({ req }) => certificateOf(req),
    certificateAuthorized({ req }) {
      const certificate = certificateOf(req);
      return certificate !== undefined && clientCertificates.isTrusted(certificate);
    },
    certificateSubjectMatches({ req }, property, expected) {
      const certificate = certificateOf(req);
      const name = CERTIFICATE_NAMES.find((one) => one === property);
      return certificate !== undefined && name !== undefined && clientCertificates.hasName(certificate, name, expected);
    },
  }) satisfies NonNullable<Configuration['features']>['mTLS'];
