// A request whose body was read, with a body that can be read again.
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** The same request with another body to read. */
export function withBody(request: IncomingMessage, text: string): IncomingMessage {
  const body = Buffer.from(text);
  request.headers['content-length'] = String(body.length);
  return Object.create(request, {
    readable: { value: true },
    iterator: { value: () => Readable.from([body]).iterator() },
  }) as IncomingMessage;
}
