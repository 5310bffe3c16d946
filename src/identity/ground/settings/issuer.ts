// Settings of the issuer of credentials about roles.
import { setting } from '../../../platform/config/index.ts';

export const issuerSettings = {
  issuerCertFile: setting.optionalText(
    'GATEHOUSE_IDENTITY_ISSUER_CERT_FILE',
    'PEM file with the certificate chain of the issuer of credentials, its own certificate first. Without it, a CA for development is made.',
  ),
  issuerKeyFile: setting.optionalText(
    'GATEHOUSE_IDENTITY_ISSUER_KEY_FILE',
    'PEM file with the private key of that certificate: a key of the curve P-256.',
  ),
  credentialTypeMakers: setting.choice(
    'GATEHOUSE_IDENTITY_CREDENTIAL_TYPE_MAKERS',
    'managers',
    ['managers', 'administrators'],
    'Who may create credential types: managers of an application, for its roles, or administrators only.',
  ),
};
