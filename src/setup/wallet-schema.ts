// The settings of an identity provider whose people show credentials from their wallets (openid4vp), in a set-up file.
import { t } from '../platform/http/index.ts';
import { READ_FORMATS } from '../verifiable/formats/index.ts';

const Name = t.string({ minLength: 1, maxLength: 255 });
const Credential = t.object(
  {
    format: t.oneOf(...READ_FORMATS),
    types: t.array(Name, { minItems: 1, maxItems: 10, uniqueItems: true }),
    subject: t.array(Name, {
      minItems: 1,
      maxItems: 3,
      description: 'The path of the claim that says who the person is.',
    }),
  },
  {
    claims: t.array(t.array(t.nullable(Name), { minItems: 1, maxItems: 4 }), {
      maxItems: 20,
      uniqueItems: true,
      description: 'Paths of further claims that are asked for; null at the end for all elements of a list.',
    }),
  },
);

/** They name issuers, or root certificates, or both. */
export const WalletSettings = t.object(
  { credentials: t.array(Credential, { minItems: 1, maxItems: 5 }) },
  {
    issuers: t.array(t.string({ minLength: 1, maxLength: 2048 }), {
      maxItems: 50,
      uniqueItems: true,
      description: 'Who is trusted, exactly as they name themselves: DIDs or https addresses.',
    }),
    root_certificates: t.array(t.string({ minLength: 1, maxLength: 16_384 }), {
      maxItems: 20,
      description: 'PEM, one certificate each. Credentials with a certificate are trusted below these only.',
    }),
    requires_status: t.boolean({ description: 'Whether a credential without an entry in a status list is refused.' }),
    name: t.nullable(t.string({ minLength: 1, maxLength: 64 })),
    shown: t.boolean({ description: 'Whether wallets are asked for its credentials.' }),
    email_domains: t.array(t.string({ maxLength: 253 }), { maxItems: 100, uniqueItems: true }),
    trusts_email: t.boolean(),
    whole_service: t.boolean(),
    may_give_admin: t.boolean(),
  },
);

export interface WalletEntry {
  readonly credentials: readonly { readonly claims?: readonly unknown[]; readonly [field: string]: unknown }[];
  readonly root_certificates?: readonly string[];
  readonly email_domains?: readonly string[];
  readonly [field: string]: unknown;
}
