// Types of the oidc-provider library, which is loaded at run time.
import type { Provider } from 'oidc-provider';

export type OidcProviderLibrary = typeof import('oidc-provider');
export type OidcGrant = InstanceType<Provider['Grant']>;
