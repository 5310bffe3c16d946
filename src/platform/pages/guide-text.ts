// The guide as it lies in docs/guide, made into HTML. Links between its pages lead to their addresses here; what leads elsewhere in the
// sources is a plain text.
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Marked, type MarkedExtension, Renderer, type Tokens } from 'marked';
import { escapeHtml } from './document.ts';

/** Pages beside the guide that it refers to. */
const REFERENCE = ['config', 'errors', 'metrics'];
const CONTENTS = 'README';

export interface GuidePage {
  readonly title: string;
  readonly html: string;
}

export interface GuideText {
  /** By name: the files of the guide without `.md`, and those of reference. */
  readonly pages: ReadonlyMap<string, GuidePage>;
  /** The list of pages, as HTML. */
  readonly contents: string;
}

export interface GuideAddresses {
  page(name: string): string;
  /** Of a picture, by its name in docs/guide. */
  picture(name: string): string;
}

/** The anchor of a heading, as in links of the sources (GitHub). */
const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

const WEB_ADDRESS = /^https:\/\//;

function addressOf(href: string, names: ReadonlySet<string>, { page }: GuideAddresses): string | undefined {
  if (WEB_ADDRESS.test(href) || href.startsWith('#')) return href;
  const [path = '', anchor] = href.split('#', 2);
  const name = path.endsWith('.md') ? basename(path, '.md') : '';
  if (!names.has(name)) return undefined;
  return page(name) + (anchor === undefined ? '' : `#${anchor}`);
}

const plainOf = (tokens: readonly { readonly type: string; readonly text?: string; readonly tokens?: unknown }[]): string =>
  tokens.map(({ text, tokens: inner }) => (inner ? plainOf(inner as never) : (text ?? ''))).join('');

function extension(names: ReadonlySet<string>, addresses: GuideAddresses): MarkedExtension {
  return {
    renderer: {
      html: ({ text }) => escapeHtml(text),
      heading({ tokens, depth }) {
        return `<h${depth} id="${escapeHtml(anchorOf(plainOf(tokens)))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const address = addressOf(href, names, addresses);
        return address === undefined ? text : `<a href="${escapeHtml(address)}">${text}</a>`;
      },
      image: ({ href, text }) => `<img src="${escapeHtml(addresses.picture(href))}" alt="${escapeHtml(text)}">`,
      // Scrolls by itself, also with the keyboard.
      table(token: Tokens.Table) {
        return `<div class="table" tabindex="0">${Renderer.prototype.table.call(this, token)}</div>`;
      },
      code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
    },
  };
}

export function readGuide(docs: string, addresses: GuideAddresses): GuideText {
  const own = globSync('*.md', { cwd: join(docs, 'guide') }).map((file) => basename(file, '.md'));
  const files = new Map([
    ...own.map((name): [string, string] => [name, join(docs, 'guide', `${name}.md`)]),
    ...REFERENCE.map((name): [string, string] => [name, join(docs, `${name}.md`)]),
  ]);
  const marked = new Marked(extension(new Set(files.keys()), addresses));
  const texts = new Map([...files].map(([name, path]) => [name, readFileSync(path, 'utf8')]));
  const pages = new Map(
    [...texts].map(([name, text]): [string, GuidePage] => [
      name,
      { title: /^# (.*)$/m.exec(text)?.[1] ?? name, html: marked.parse(text, { async: false }) },
    ]),
  );
  const list = texts.get(CONTENTS)!;
  return { pages, contents: marked.parse(list.slice(list.indexOf('\n## ')), { async: false }) };
}
