// The API document of a service and the page that shows it: /openapi.json and /openapi. Both are for everybody: they are published.
// Nothing of it is read before somebody asks.
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { fail } from '../faults/index.ts';
import { type DocumentedRoute, type Mount, type RawExchange, t } from '../http/index.ts';
import { inEveryLanguage, languageOf } from '../languages/index.ts';
import { pageDocument } from './document.ts';
import { accepts, createPageFiles, fileOf, type PageFile, type PageFiles, sendPageFile } from './files.ts';

const SOURCES = fileURLToPath(new URL('../../../console', import.meta.url));
const PAGE = '/openapi';
const DOCUMENT = '/openapi.json';
const FILES = '/openapi/files/';
const en = { withoutScripts: 'This page needs JavaScript. The document is at /openapi.json.' };
const TEXTS = inEveryLanguage({
  en,
  es: { withoutScripts: 'Esta página necesita JavaScript. El documento está en /openapi.json.' },
  de: { withoutScripts: 'Diese Seite braucht JavaScript. Das Dokument liegt unter /openapi.json.' },
});

export interface ApiPagesOptions {
  /** What the page is called until the document is there. */
  readonly title: string;
  readonly version: string;
  /** Reads the document. Called once. */
  read(): Readonly<Record<string, unknown>>;
}

interface StoredDocument {
  readonly etag: string;
  readonly file: PageFile;
}

export function createApiPages({ title, version, read }: ApiPagesOptions): Mount {
  let files: PageFiles | undefined;
  /** Another process may have sent the page. */
  const pageFiles = (): PageFiles => {
    files ??= createPageFiles({ folder: SOURCES, subfolders: ['shared', 'api'], path: FILES });
    return files;
  };
  let stored: StoredDocument | undefined;

  function store(): StoredDocument {
    const text = JSON.stringify(read());
    const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
    return { etag, file: fileOf('application/json; charset=utf-8', text) };
  }

  async function sendDocument({ request, response }: RawExchange): Promise<void> {
    stored ??= store();
    const { etag, file } = stored;
    const headers = { ETag: etag, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding', 'X-Content-Type-Options': 'nosniff' };
    if (request.headers['if-none-match'] === etag) return end(response, 304, headers);
    // Not br: that takes two seconds for this size.
    const isZipped = accepts(request.headers['accept-encoding'], 'gzip');
    const bytes = isZipped ? await file.gzip : file.bytes;
    const more = {
      'Content-Type': file.type,
      'Content-Length': bytes.byteLength,
      ...(isZipped ? { 'Content-Encoding': 'gzip' } : {}),
    };
    end(response, 200, { ...headers, ...more }, request.method === 'HEAD' ? undefined : bytes);
  }

  function sendPage({ request, response }: RawExchange): void {
    const files = pageFiles();
    const language = languageOf(request.headers['accept-language']);
    const { text, headers } = pageDocument({
      files,
      entry: 'api/main.ts',
      language,
      words: (one) => [`api/words/${one}.ts`, `shared/words/${one}.ts`],
      title,
      icon: `${files.root}api/icon.svg`,
      styles: [`${files.root}api/api.css`],
      settings: { base: PAGE, brand: { name: title, logo: null }, language, version },
      ...TEXTS[language],
    });
    const more = { Vary: 'Accept-Language', 'Content-Length': Buffer.byteLength(text) };
    end(response, 200, { ...headers, ...more }, request.method === 'HEAD' ? undefined : text);
  }

  return {
    paths: [PAGE, DOCUMENT, `${FILES}*`],
    async handle(exchange) {
      const { request, response } = exchange;
      if (request.method !== 'GET' && request.method !== 'HEAD')
        fail('route.method_not_allowed', undefined, { headers: { Allow: 'GET, HEAD' } });
      const path = (request.url ?? '').split('?', 1)[0]!;
      if (path === DOCUMENT) return sendDocument(exchange);
      if (!path.startsWith(FILES)) return sendPage(exchange);
      await sendPageFile(request, response, pageFiles().at(path) ?? fail('route.not_found'));
    },
  };
}

function end(response: ServerResponse, status: number, headers: Record<string, string | number>, body?: string | Buffer): void {
  response.writeHead(status, headers);
  response.end(body);
}

const OpenApiDocument = t.open({ openapi: t.string(), info: t.open({}), paths: t.open({}) });
t.name({ OpenApiDocument });

/** How the two addresses appear in the document itself. */
export const apiPageRoutes = (tag: string): readonly DocumentedRoute[] => [
  {
    method: 'GET',
    path: DOCUMENT,
    spec: {
      id: 'getApiDocument',
      summary: 'Get this document',
      description: 'The OpenAPI 3.1 document of this version of the service. `ETag` changes with it.',
      tag,
      rule: 'anyone',
      documentation: { replyHeaders: { ETag: 'The version of the document.' } },
      reply: { 200: OpenApiDocument },
    },
  },
  {
    method: 'GET',
    path: PAGE,
    spec: {
      id: 'showApiDocument',
      summary: 'Show this document in a browser',
      description: 'A page with a search. It asks nothing of other services.',
      tag,
      rule: 'anyone',
      documentation: { type: 'text/html' },
      reply: { 200: t.string() },
    },
  },
];
