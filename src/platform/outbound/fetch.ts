// The guarded client as a fetch function, for libraries that accept one (oidc-provider, openid-client, jose).
import type { Outbound, OutboundAnswer, OutboundRequest } from './client.ts';

const NO_BODY = new Set([204, 205, 304]);

/** Redirects are returned as they are, except with `redirect: 'error'`. Refusals are OutboundErrors. */
export const guardedFetch =
  (outbound: Outbound, defaults: Pick<OutboundRequest, 'kind' | 'timeoutMs' | 'maxBytes'> = {}) =>
  async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    // Request parses the init. It does not get the URL: only the client decides what may be called.
    const isRequest = input instanceof Request;
    const request = isRequest ? new Request(input, init) : new Request('https://not-called.invalid/', init);
    const url = isRequest ? request.url : String(input);
    // Not the signal of the new Request, which stops following this one when it is garbage-collected.
    const signal = init?.signal ?? (isRequest ? input.signal : undefined);
    signal?.throwIfAborted();
    const body = request.body && new Uint8Array(await request.arrayBuffer());
    const answer = await outbound({
      ...defaults,
      method: request.method as 'GET' | 'POST',
      url,
      headers: Object.fromEntries(request.headers),
      ...(body && { body }),
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      // As fetch does. Libraries recognize time-outs by it.
      signal?.throwIfAborted();
      throw error;
    });
    if (request.redirect === 'error' && answer.status >= 300 && answer.status < 400 && answer.headers.location !== undefined)
      throw new TypeError('a redirect was answered');
    return responseOf(answer, url);
  };

function responseOf({ status, headers, body }: OutboundAnswer, url: string): Response {
  const all = Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().map((value): [string, string] => [name, value]),
  );
  const response = new Response(NO_BODY.has(status) ? null : new Uint8Array(body), { status, headers: all });
  // Response has no other way to set its URL.
  return Object.defineProperty(response, 'url', { value: Object.assign(new URL(url), { hash: '' }).href });
}
