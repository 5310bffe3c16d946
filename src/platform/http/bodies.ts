// Bodies as they arrive: which content types are read, in which encoding, and up to which size.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, preParsingHookHandler } from 'fastify';
import { fail } from '../faults/index.ts';
import { parseForm, parseJson } from './json.ts';

/** With the parameters it may have; `application/json-seq` is another type. */
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/gi;
/** US-ASCII is a part of UTF-8. */
const READ_AS_UTF8 = /^(?:utf-?8|us-ascii)$/i;

/** Everything is read as UTF-8: text in another encoding, or packed, would be taken for something else than was sent. */
export function checkEncoding(headers: IncomingHttpHeaders): void {
  const { 'content-type': type = '', 'content-encoding': packed } = headers;
  for (const [, quoted, plain] of type.matchAll(CHARSET)) if (!READ_AS_UTF8.test(quoted ?? plain ?? '')) fail('request.charset');
  if (packed !== undefined && packed !== '' && packed.toLowerCase() !== 'identity') fail('request.content_encoding');
}

/** The whole body of a request that the framework leaves alone. One that is too large is left unread, so that it can be answered. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  checkEncoding(request.headers);
  if (Number(request.headers['content-length']) > limit) fail('request.too_large');
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving a loop over the request itself would end its connection, and with it the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) fail('request.too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** A request without a body has a stream that ended before anyone listened (`optimizeEmptyRequests`): a parser would wait for ever. */
export const bodyOrNothing: preParsingHookHandler = (_request, _reply, payload, done) => {
  done(null, (payload as Readable).readableEnded ? Readable.from([]) : payload);
};

/** Routes take JSON; those that say so a form as well. */
export function acceptBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(JSON_TYPE, { parseAs: 'buffer' }, (request, body, done) => {
    try {
      checkEncoding(request.headers);
      done(null, parseJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      if (!(request.routeOptions.config as { form?: boolean }).form) fail('request.media_type');
      checkEncoding(request.headers);
      done(null, parseForm(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}
