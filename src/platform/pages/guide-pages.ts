// The guide in a browser: /guide and /guide/<page>, for everybody. No scripts. Read when somebody first asks for it.
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { fail } from '../faults/index.ts';
import { type DocumentedRoute, type Mount, type RawExchange, t } from '../http/index.ts';
import { escapeHtml } from './document.ts';
import { createPageFiles, fileOf, type PageFile, type PageFiles, sendPageFile } from './files.ts';

const DOCS = fileURLToPath(new URL('../../../docs', import.meta.url));
const CONSOLE = fileURLToPath(new URL('../../../console', import.meta.url));
const GUIDE = '/guide';
const STYLES = `${GUIDE}/styles/`;
const PICTURES = `${GUIDE}/pictures/`;
const CONTENTS = 'README';
const HEADERS = {
  'Cache-Control': 'no-cache',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
};

/** The address of a page of the guide. */
export const guidePath = (name: string): string => (name === CONTENTS ? GUIDE : `${GUIDE}/${name}`);

interface Guide {
  readonly styles: PageFiles;
  readonly pictures: PageFiles;
  readonly pages: ReadonlyMap<string, PageFile>;
}

async function makeGuide(): Promise<Guide> {
  const { readGuide } = await import('./guide-text.ts');
  const styles = createPageFiles({ folder: CONSOLE, subfolders: ['shared', 'guide'], path: STYLES, withoutScripts: true });
  const pictures = createPageFiles({ folder: `${DOCS}/guide`, subfolders: ['images'], path: PICTURES, withoutScripts: true });
  const { pages, contents } = readGuide(DOCS, { page: guidePath, picture: (name) => `${pictures.root}${name}` });
  const page = (name: string, title: string, html: string): string => {
    const here = `href="${guidePath(name)}"`;
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Gatehouse</title>
<link rel="icon" href="${styles.root}guide/icon.svg">
<link rel="stylesheet" href="${styles.root}shared/style.css">
<link rel="stylesheet" href="${styles.root}guide/guide.css">
</head>
<body class="guide">
<a class="skip" href="#content">Skip to the text</a>
<header class="top"><a class="brand" href="/"><span>Gatehouse</span></a><div class="tools"><a href="${GUIDE}">All pages</a></div></header>
<nav class="menu" aria-label="The guide">${contents.replace(`${here}>`, `${here} aria-current="page">`)}</nav>
<main id="content">${html}</main>
</body>
</html>
`;
  };
  const made = [...pages].map(([name, { title, html }]): [string, PageFile] => [
    guidePath(name),
    fileOf('text/html; charset=utf-8', page(name, title, html)),
  ]);
  return { styles, pictures, pages: new Map(made) };
}

export function createGuidePages(): Mount {
  let guide: Promise<Guide> | undefined;

  async function handle({ request, response }: RawExchange): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      fail('route.method_not_allowed', undefined, { headers: { Allow: 'GET, HEAD' } });
    guide ??= makeGuide();
    const { styles, pictures, pages } = await guide;
    const path = (request.url ?? '').split('?', 1)[0]!;
    const file = styles.at(path) ?? pictures.at(path);
    if (file) return sendPageFile(request, response, file);
    const page = pages.get(path) ?? fail('route.not_found');
    const etag = `"${createHash('sha256').update(page.bytes).digest('base64url').slice(0, 22)}"`;
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, { ...HEADERS, ETag: etag });
      response.end();
      return;
    }
    await sendPageFile(request, response, page, { ...HEADERS, ETag: etag });
  }

  return { paths: [GUIDE, `${GUIDE}/*`], handle };
}

/** How the addresses appear in the API document. */
export const guideRoutes = (tag: string): readonly DocumentedRoute[] => [
  {
    method: 'GET',
    path: GUIDE,
    spec: {
      id: 'showGuide',
      summary: 'Show the pages of the guide',
      description: 'The guide of this version, for people. In English.',
      tag,
      rule: 'anyone',
      documentation: { type: 'text/html' },
      reply: { 200: t.string() },
    },
  },
  {
    method: 'GET',
    path: `${GUIDE}/:page`,
    spec: {
      id: 'showGuidePage',
      summary: 'Show a page of the guide',
      description: 'Such as `applications`.',
      tag,
      rule: 'anyone',
      documentation: { type: 'text/html' },
      reply: { 200: t.string() },
    },
  },
];
