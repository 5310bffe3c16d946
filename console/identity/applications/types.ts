// Applications as the API shows them, and the kinds that people choose from.
import { words } from '../words/index.ts';

export interface Consumer {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly client_type: string;
  readonly grant_type: string;
  readonly redirect_uris: readonly string[];
  readonly scopes: readonly string[];
  readonly url?: string;
  readonly kind?: Kind | null;
  readonly post_logout_redirect_uris?: readonly string[];
  /** If it registered itself. */
  readonly registered_by?: 'token' | 'open' | 'document';
  /** What else it has, by the names of client registration. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** `logo`: the image, if there is one. */
  readonly links: { readonly logo?: string };
}

export interface ConsumerWithSecret extends Consumer {
  readonly secret: string;
  readonly token_endpoint_auth_method?: string;
  /** While the secret before still works. */
  readonly previous_secret_expires_at?: string;
}

/** Ways to prove itself by something that only the application has: this page cannot do it in its place. */
export const WITHOUT_SECRET: readonly string[] = [
  'private_key_jwt',
  'tls_client_auth',
  'self_signed_tls_client_auth',
  'workload_jwt',
];

/** Whether its secret is what it proves itself by. */
export const usesSecret = ({ client_type: type, token_endpoint_auth_method: method = '' }: ConsumerWithSecret): boolean =>
  type !== 'public' && !WITHOUT_SECRET.includes(method);

export interface AppRole {
  readonly id: string;
  readonly name: string;
  readonly is_internal: boolean;
}

export interface Permission {
  readonly id: string;
  readonly name: string;
  readonly is_internal: boolean;
  readonly action: string | null;
  readonly resource: string | null;
}

export interface Assignment {
  readonly user_id?: string;
  readonly organization_id: string;
  readonly role_id: string;
}

export interface ListLinks {
  readonly next: string | null;
}

export const KINDS = ['web', 'spa', 'device', 'service', 'proxy'] as const;
export type Kind = (typeof KINDS)[number];
export const isKind = (text: string | null): text is Kind => KINDS.includes(text as Kind);

/** What the API needs to know of a kind. */
export const KIND_VALUES: Readonly<
  Record<Kind, { readonly client_type: string; readonly grant_type: string; readonly hasAddresses: boolean }>
> = {
  web: { client_type: 'confidential', grant_type: 'authorization_code', hasAddresses: true },
  spa: { client_type: 'public', grant_type: 'authorization_code', hasAddresses: true },
  device: { client_type: 'public', grant_type: 'authorization_code', hasAddresses: false },
  service: { client_type: 'confidential', grant_type: 'client_credentials', hasAddresses: false },
  proxy: { client_type: 'confidential', grant_type: 'client_credentials', hasAddresses: false },
};

/** One address a line. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** What is obviously wrong with redirect addresses, while they are typed. The service decides when they are sent. */
export function addressProblem(text: string): string | undefined {
  const { applications } = words;
  for (const line of linesOf(text)) {
    if (/\s/.test(line)) return applications.addressBlank(line);
    const url = URL.parse(line);
    if (!url) return applications.addressNotAbsolute(line);
    if (line.includes('#')) return applications.addressFragment(line);
    if (url.username !== '' || url.password !== '') return applications.addressCredentials(line);
    if (url.protocol === 'javascript:' || url.protocol === 'data:' || url.protocol === 'file:')
      return applications.addressScheme(line);
  }
  return undefined;
}

/** Addresses that a browser asks over the network. */
export const isHttp = (line: string): boolean => /^https?:$/.test(URL.parse(line)?.protocol ?? '');

/** Addresses that somebody else on the network could read. */
export const isInsecure = (line: string): boolean => {
  const url = URL.parse(line);
  return url?.protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
};
