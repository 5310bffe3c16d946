// The settings of an identity provider whose people show credentials from their wallets (OpenID4VP): an extension of ours, beside Keystone's
// resources.
import { t } from '../../../platform/http/index.ts';
import { type FormatName, READ_FORMATS } from '../../../verifiable/formats/index.ts';
import type { WalletProviderRow } from '../../ground/database/index.ts';
import { Links } from '../../ground/resource/index.ts';
import { pathOf } from './identity-providers.schema.ts';
import { EmailDomains, trustFields } from './openid-settings.schema.ts';

/** Not U+0000, which databases do not store. */
const Name = t.string({ minLength: 1, maxLength: 255, pattern: '^[^\\u0000]+$' });
/** More levels than these are not seen by mappings. */
const MAX_DEPTH = 3;
const ClaimPath = t.array(t.nullable(Name), { minItems: 1, maxItems: MAX_DEPTH + 1 });
const SubjectPath = t.array(Name, { minItems: 1, maxItems: MAX_DEPTH });

const asked = {
  format: t.oneOf(...READ_FORMATS),
  types: t.array(Name, {
    minItems: 1,
    maxItems: 10,
    uniqueItems: true,
    description: 'One of these: the `vct` of SD-JWT VCs, a type of W3C credentials, or the doctype of mobile documents.',
  }),
  subject: {
    ...SubjectPath,
    description:
      'The path of the claim that says who the person is: a text that the issuer gives to one person only. People of different issuers are different people.',
  },
};
const claims = {
  claims: t.array(ClaimPath, {
    maxItems: 20,
    uniqueItems: true,
    description:
      'Paths of further claims that are asked for, as in DCQL; null at the end for all elements of a list. All are required. The mapping sees them by their path with dots, and nothing else but `iss` and `vct`, `issuer` and `type`, or `issuer` and `docType`.',
  }),
};
const Asked = t.object(asked, claims);

const settings = {
  issuers: t.array(t.string({ minLength: 1, maxLength: 2048 }), {
    maxItems: 50,
    uniqueItems: true,
    description:
      'The issuers that are trusted, exactly as they name themselves in credentials: DIDs, or https addresses. If this is empty: all issuers whose certificate chains to one of the root certificates.',
  }),
  root_certificates: t.array(t.string({ minLength: 1, maxLength: 16_384 }), {
    maxItems: 20,
    description:
      'PEM, one certificate each. A credential that is signed with a certificate is trusted only if the certificate chains to one of these.',
  }),
  requires_status: t.boolean({
    description:
      'Whether a credential without an entry in a status list is refused. An entry is always checked: it must be reachable and say valid.',
  }),
  name: t.nullable(t.string({ minLength: 1, maxLength: 64, description: 'How people know it.' })),
  shown: t.boolean({ description: 'Whether wallets are asked for its credentials at the sign-in page.' }),
  email_domains: EmailDomains,
  ...trustFields,
};

const example = {
  name: 'City of Vigo',
  credentials: [
    {
      format: READ_FORMATS[0],
      types: ['https://credentials.vigo.example/resident'],
      subject: ['sub'],
      claims: [['given_name'], ['family_name']],
    },
  ],
  issuers: ['https://credentials.vigo.example'],
};
export const NewWalletSettings = t.object({ credentials: t.array(Asked, { minItems: 1, maxItems: 5 }) }, settings, {
  examples: [example],
});
export const PutWalletSettings = t.envelope('openid4vp', NewWalletSettings);

const WalletSettings = t.object({
  credentials: t.array(t.object({ ...asked, ...claims })),
  ...settings,
  name: t.nullable(t.string()),
  links: Links,
});
export const WalletSettingsEnvelope = t.envelope('openid4vp', WalletSettings);

/** One kind of credential that signs people in. */
export interface AskedCredential {
  readonly format: FormatName;
  readonly types: readonly string[];
  readonly subject: readonly string[];
  readonly claims: readonly (readonly (string | null)[])[];
}

export const renderWalletSettings = (base: string, row: WalletProviderRow) => ({
  credentials: JSON.parse(row.credentials) as AskedCredential[],
  issuers: JSON.parse(row.issuers) as string[],
  root_certificates: JSON.parse(row.root_certificates) as string[],
  requires_status: row.requires_status === 1,
  name: row.name,
  shown: row.shown === 1,
  email_domains: JSON.parse(row.email_domains) as string[],
  trusts_email: row.trusts_email === 1,
  whole_service: row.whole_service === 1,
  may_give_admin: row.may_give_admin === 1,
  links: { self: `${base}${pathOf(row.provider_id)}/openid4vp` },
});

t.name({ NewWalletSettings, PutWalletSettings, WalletSettings, WalletSettingsEnvelope, AskedCredential: Asked });
