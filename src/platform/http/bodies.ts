// Reads request bodies: accepted content types, encoding and size.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, preParsingHookHandler } from 'fastify';
import { notCounted } from '../deadline.ts';
import { fail } from '../faults/index.ts';
import { parseForm, parseJson } from './json.ts';

/** Allows parameters after the type. `application/json-seq` is a different type. */
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/gi;
/** US-ASCII is a subset of UTF-8. */
const READ_AS_UTF8 = /^(?:utf-?8|us-ascii)$/i;

/** Everything is read as UTF-8. Another encoding or a compressed body would be misread, so it is refused. */
export function checkEncoding(headers: IncomingHttpHeaders): void {
  const { 'content-type': type = '', 'content-encoding': encoding } = headers;
  for (const [, quoted, plain] of type.matchAll(CHARSET)) if (!READ_AS_UTF8.test(quoted ?? plain ?? '')) fail('request.charset');
  if (encoding !== undefined && encoding !== '' && encoding.toLowerCase() !== 'identity') fail('request.content_encoding');
}

/**
 * Reads the whole body of a request that the framework does not parse. A body that is too large is left unread, so that the request can
 * be answered. How long it takes is up to the client; the server has a limit of its own for that.
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  checkEncoding(request.headers);
  if (Number(request.headers['content-length']) > limit) fail('request.too_large');
  return notCounted(() => readAll(request, limit));
}

async function readAll(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Breaking out of a loop over the request itself would close the connection, so that it could not be answered.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) fail('request.too_large');
      chunks.push(chunk);
    }
  } catch (error) {
    // The client closed the connection in the middle of the body.
    if (request.destroyed && !request.complete) fail('request.unreadable');
    throw error;
  }
  return Buffer.concat(chunks, size);
}

/** With `optimizeEmptyRequests`, the stream of a request without a body has already ended, and a parser would wait forever. */
export const replaceEndedBody: preParsingHookHandler = (_request, _reply, payload, done) => {
  done(null, (payload as Readable).readableEnded ? Readable.from([]) : payload);
};

/** Routes accept JSON, and forms or JWTs if they say so. */
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
  server.addContentTypeParser('application/jwt', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      if (!(request.routeOptions.config as { jwt?: boolean }).jwt) fail('request.media_type');
      checkEncoding(request.headers);
      done(null, { jwt: (body as Buffer).toString('utf8') });
    } catch (error) {
      done(error as Error);
    }
  });
}
