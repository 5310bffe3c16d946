// The published documents: /.well-known/did.json of the node, /dids/{name}/did.json of its users. Public.

import type { IncomingHttpHeaders } from 'node:http';
import { Answer, t } from '../../platform/http/index.ts';
import type { WalletApp, WalletTarget } from '../access/index.ts';
import { fail } from '../ground/faults.ts';
import type { Documents, PublishedDocument } from './documents.ts';
import { NODE_NAME } from './publishing.ts';

const tag = 'Documents';
const Document = t.open({ id: t.string() });

/** Short, because a cached document may contain a key that was revoked since. */
const CACHE = 'public, max-age=300';

/** Compressing proxies make an ETag weak. It still identifies the same document (RFC 9110, 13.1.2). */
const isUnchanged = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);

export function mountDocuments(app: WalletApp, { documents }: { documents: Documents }): void {
  const missing = (): never => fail('not-found', { kind: 'document' }, { headers: { 'Access-Control-Allow-Origin': '*' } });

  async function published(name: string): Promise<WalletTarget<PublishedDocument>> {
    const found = await documents.find(name);
    return { facts: {}, get: () => found ?? missing() };
  }

  function answer({ target, headers }: { target: PublishedDocument; headers: IncomingHttpHeaders }): Answer {
    const { etag, document, bytes } = target;
    const common = { ETag: etag, 'Cache-Control': CACHE, 'Access-Control-Allow-Origin': '*', Vary: 'Accept' };
    if (isUnchanged(headers['if-none-match'], etag)) return new Answer({ status: 304, headers: common });
    const type = headers.accept?.includes('application/did+json') ? 'application/did+json' : 'application/json';
    return new Answer({ headers: { ...common, 'Content-Type': type }, text: document, bytes });
  }

  const rule = 'anyone';
  const reply = { 200: Document, 304: null };
  const documentation = {
    headers: { 'If-None-Match': 'The ETag of the document the client has.' },
    replyHeaders: { ETag: 'Changes with the document.' },
  };
  app.get(
    '/.well-known/did.json',
    {
      id: 'getNodeDidDocument',
      summary: 'Show the DID document of the node',
      description: 'As DID resolvers read it.',
      tag,
      rule,
      target: () => published(NODE_NAME),
      documentation,
      reply,
    },
    answer,
  );
  app.get(
    '/dids/:name/did.json',
    {
      id: 'getDidDocument',
      summary: 'Show a published DID document',
      description: 'As DID resolvers read it.',
      tag,
      rule,
      // The node's own document has another address.
      target: ({ params }) => (params.name === NODE_NAME ? missing() : published(params.name)),
      documentation,
      reply,
    },
    answer,
  );
}

t.name({ DidDocument: Document });
