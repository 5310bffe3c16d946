// POST /v3/OS-OAUTH2/access_token: Keyrock's path of the token endpoint. Accepts a form, or JSON with or without an envelope.
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { parseJson, readBody } from '../../../platform/http/index.ts';
import { fail } from '../../faults.ts';
import { ROOT } from '../provider/paths.ts';

const MAX_BODY = 56 * 1024;
const FORM = 'application/x-www-form-urlencoded';

/** Converts the request for the standard endpoint. A form only needs another path. */
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
