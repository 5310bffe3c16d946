// What programs can read about the API of this node (RFC 9728): whose access tokens it takes. Only where the audience of these tokens is the
// address of the node: then the address says who is meant, and a program that was refused finds the way to a token.
import { protectedResourcePath, resourceMetadata } from '../../platform/http/index.ts';

export interface OwnResource {
  readonly resource: string;
  readonly resource_name: string;
  readonly authorization_servers: string[];
  readonly bearer_methods_supported: string[];
}

export interface OwnResourceDeps {
  /** Undefined: no access tokens are taken. */
  readonly audience: string | undefined;
  /** Of the OpenID provider. */
  readonly issuer: string;
  publicUrl(): string;
}

export const OWN_RESOURCE_PATH = protectedResourcePath('');

export function createOwnResource({ audience, issuer, publicUrl }: OwnResourceDeps) {
  const isOwn = (): boolean => audience !== undefined && audience.replace(/\/$/, '') === publicUrl();
  return {
    find: (): OwnResource | undefined =>
      isOwn()
        ? {
            resource: audience!,
            resource_name: 'Wallet',
            authorization_servers: [issuer],
            bearer_methods_supported: ['header'],
          }
        : undefined,
    /** What a refusal adds to its challenge. */
    challenge: (): string => (isOwn() ? `, ${resourceMetadata(publicUrl(), '')}` : ''),
  };
}

export type OwnResources = ReturnType<typeof createOwnResource>;
