// POST /v3/OS-OAUTH2/access_token is the token endpoint by Keyrock's address: JSON, bare or in its envelope, besides a form.
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { parseJson, readBody } from '../../../platform/http/index.ts';
import { fail } from '../../faults.ts';
import { ROOT } from '../provider/paths.ts';

const MAX_BODY = 56 * 1024;
const FORM = 'application/x-www-form-urlencoded';

/** The request as the standard endpoint takes it; a form needs only the other address. */
export async function toTokenRequest(request: IncomingMessage): Promise<IncomingMessage> {
  request.url = `${ROOT}/token`;
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) return request;
  const sent = parseJson(await readBody(request, MAX_BODY)) as Record<string, unknown> | undefined;
  const inner = sent?.token_request ?? sent;
  if (typeof inner !== 'object' || inner === null) fail('request.not_an_object');
  const parameters = Object.entries(inner).filter(([, value]) => typeof value === 'string') as [string, string][];
  const body = Buffer.from(new URLSearchParams(parameters).toString());
  request.headers['content-type'] = FORM;
  request.headers['content-length'] = String(body.length);
  // The same request with another body to read.
  return Object.create(request, {
    readable: { value: true },
    iterator: { value: () => Readable.from([body]).iterator() },
  }) as IncomingMessage;
}
