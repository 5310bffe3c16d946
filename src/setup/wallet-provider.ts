// The settings of an identity provider for wallets (openid4vp): those of a file, and those that the service shows.
import { X509Certificate } from 'node:crypto';
import type { Body } from './client.ts';
import type { Fields } from './model.ts';
import type { Json } from './schema.ts';
import { textOf } from './state.ts';
import type { WalletEntry } from './wallet-schema.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** As the service stores it, without what is around it. What is not one certificate is sent as it is, and refused there. */
function asStored(text: string): string {
  const [pem, ...others] = text.match(CERTIFICATE) ?? [];
  if (pem === undefined || others.length > 0) return text;
  try {
    return new X509Certificate(pem).toString();
  } catch {
    return text;
  }
}

/** What a file has, as the service shows it. */
export function walletFieldsOf(entry: WalletEntry): Fields {
  const { root_certificates: roots, email_domains: domains, ...others } = entry;
  const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined)) as Fields;
  return {
    ...given,
    credentials: entry.credentials.map((one) => ({ ...one, claims: one.claims ?? [] })) as Json,
    ...(roots === undefined ? {} : { root_certificates: [...new Set(roots.map(asStored))] }),
    ...(domains === undefined ? {} : { email_domains: [...new Set(domains.map((domain) => domain.toLowerCase()))] }),
  };
}

export const shownWalletFields = (body: Body): Fields => ({
  credentials: body.credentials as Json,
  issuers: body.issuers as Json,
  root_certificates: body.root_certificates as Json,
  requires_status: body.requires_status === true,
  name: body.name === null ? null : textOf(body, 'name'),
  shown: body.shown === true,
  email_domains: body.email_domains as Json,
  trusts_email: body.trusts_email === true,
  whole_service: body.whole_service === true,
  may_give_admin: body.may_give_admin === true,
});
