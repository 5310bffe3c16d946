// A request as a client signed it (OAuth1).
import type { Call } from '../../../platform/http/index.ts';

export interface SignedRequest {
  readonly method: string;
  /** The public address of the request, with its query. */
  readonly url: string;
  readonly authorization: string | undefined;
}

export function signedRequestOf(
  method: string,
  { base, path, query, headers }: Pick<Call<unknown>, 'base' | 'path' | 'headers' | 'query'>,
): SignedRequest {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) for (const one of [value ?? []].flat()) parameters.append(name, one);
  const text = parameters.toString();
  return { method, url: `${base}${path}${text ? `?${text}` : ''}`, authorization: headers.authorization };
}
