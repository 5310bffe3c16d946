// Identity providers as the API has them, and what is usual at the kinds of them.
import { part } from '../../shared/router.ts';
import { settings } from '../../shared/settings.ts';
import type { words } from '../words/index.ts';
import type { ClientOptions } from './client-options.ts';

export const PROVIDERS = '/v3/OS-FEDERATION/sign_in_providers';
export const MAPPINGS = '/v3/OS-FEDERATION/mappings';
export const providerPath = (id: string): string => `/v3/OS-FEDERATION/identity_providers/${part(id)}`;
export const redirectUriOf = (id: string): string => `${settings.issuer}/openid/providers/${part(id)}/callback`;
export const logoutUriOf = (id: string): string => `${settings.issuer}/openid/providers/${part(id)}/logout`;

export interface SignInProvider {
  readonly id: string;
  readonly enabled: boolean;
  readonly description: string | null;
  readonly domain_id: string;
  readonly protocols: readonly ('openid' | 'openid4vp')[];
  readonly name: string | null;
  readonly issuer: string | null;
  readonly button_order: number | null;
  readonly email_domains: readonly string[];
}

export interface Provider {
  readonly id: string;
  readonly enabled: boolean;
  readonly description: string | null;
  readonly domain_id: string;
  readonly authorization_ttl: number | null;
}

export interface OpenidSettings extends ClientOptions {
  readonly jwks_uri: string;
  readonly issuer: string;
  readonly client_id: string;
  readonly has_client_secret: boolean;
  readonly scopes: readonly string[];
  readonly button_name: string | null;
  readonly button_order: number | null;
  readonly email_domains: readonly string[];
  readonly trusts_email: boolean;
  readonly whole_service: boolean;
  readonly may_give_admin: boolean;
  readonly accepts_tokens: boolean;
  readonly accepts_initiated_login: boolean;
}

/** Shown and changed as a text. */
export interface WalletSettings {
  readonly name: string | null;
  readonly links?: unknown;
}

export interface Metadata {
  readonly issuer: string;
  readonly authorization_endpoint: string | null;
  readonly token_endpoint: string | null;
  readonly userinfo_endpoint: string | null;
  readonly jwks_uri: string | null;
  readonly registration_endpoint: string | null;
  readonly scopes_supported: readonly string[];
  readonly claims_supported: readonly string[];
  readonly backchannel_logout_supported: boolean;
  readonly problems: readonly string[];
}

export type Claims = Readonly<Record<string, unknown>>;
export type Withheld = keyof typeof words.providers.withheld;

export interface MappingResult {
  readonly refusal: { readonly code: string; readonly why: string } | null;
  readonly user: {
    readonly kind: keyof typeof words.providers.kinds;
    readonly id: string | null;
    readonly name: string | null;
    readonly email: string | null;
    readonly domain_id: string;
  } | null;
  readonly groups: readonly { readonly id: string | null; readonly name: string; readonly why: Withheld | null }[];
  readonly roles: readonly { readonly project: string; readonly role: string; readonly why: Withheld | null }[];
}

export interface Template {
  /** What is asked, by the names of the fields; the address is made of the values. */
  readonly asks: readonly (keyof typeof words.providers.asks)[];
  issuer(values: readonly string[]): string;
  readonly scopes: readonly string[];
  /** The claims with the name and the address. */
  readonly name: string;
  readonly email: string;
}

const USUAL = ['openid', 'profile', 'email'] as const;
const host = (text: string): string => text.replace(/^https?:\/\//, '').replace(/\/+$/, '');

export const TEMPLATES = {
  entra: {
    asks: ['tenant'],
    issuer: ([tenant = '']) => `https://login.microsoftonline.com/${tenant}/v2.0`,
    // By the refresh token, Entra can end sessions here.
    scopes: [...USUAL, 'offline_access'],
    name: 'preferred_username',
    email: 'email',
  },
  google: { asks: [], issuer: () => 'https://accounts.google.com', scopes: USUAL, name: 'email', email: 'email' },
  okta: {
    asks: ['domain'],
    issuer: ([domain = '']) => `https://${host(domain)}`,
    scopes: USUAL,
    name: 'preferred_username',
    email: 'email',
  },
  keycloak: {
    asks: ['server', 'realm'],
    issuer: ([server = '', realm = '']) => `${server.replace(/\/+$/, '')}/realms/${realm}`,
    scopes: USUAL,
    name: 'preferred_username',
    email: 'email',
  },
  openid: { asks: ['issuer'], issuer: ([issuer = '']) => issuer, scopes: USUAL, name: 'preferred_username', email: 'email' },
} as const satisfies Record<string, Template>;

export type TemplateName = keyof typeof TEMPLATES;
export const isTemplate = (name: string | null): name is TemplateName => name !== null && Object.hasOwn(TEMPLATES, name);
