// The one guarded client in the shape of fetch, for the library: back-channel logout calls applications by it.
import type { Outbound } from '../../platform/outbound/index.ts';

export const guardedFetch =
  (outbound: Outbound) =>
  async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = input instanceof Request ? input.url : String(input);
    const answer = await outbound({
      method: init.method === 'POST' ? 'POST' : 'GET',
      url,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(init.body ? { body: String(init.body) } : {}),
      timeoutMs: 5000,
      maxBytes: 64 * 1024,
    });
    return new Response(answer.body.length > 0 ? new Uint8Array(answer.body) : null, { status: answer.status });
  };
