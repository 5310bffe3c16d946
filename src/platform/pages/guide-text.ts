// The guide as it lies in docs/guide, made into HTML. Links between its pages lead to their addresses here; what leads elsewhere in the
// sources is a plain text.
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { Marked, type MarkedExtension, type Tokens } from 'marked';
import { escapeHtml } from './document.ts';

/** Pages beside the guide that it refers to, with their places beside its folder. */
const OTHERS = { 'quick-start': '../README.md', config: 'config.md', errors: 'errors.md', metrics: 'metrics.md' };
const CONTENTS = 'README';

export interface GuidePage {
  readonly title: string;
  readonly html: string;
}

export interface GuideText {
  /** By name: that of the file in the guide without `.md`, or of another page. */
  readonly pages: ReadonlyMap<string, GuidePage>;
  /** The links to all pages under their headings, as HTML. */
  readonly contents: string;
}

export interface GuideAddresses {
  page(name: string): string;
  /** Of a picture, by its place in docs/guide. */
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

interface Sources {
  /** Names of pages by their files. */
  readonly names: ReadonlyMap<string, string>;
  readonly addresses: GuideAddresses;
  /** The folder of the guide. */
  readonly folder: string;
}

function addressOf(href: string, file: string, { names, addresses }: Sources): string | undefined {
  if (WEB_ADDRESS.test(href) || href.startsWith('#')) return href;
  const [path = '', anchor] = href.split('#', 2);
  const name = names.get(join(dirname(file), path));
  if (name === undefined) return undefined;
  return addresses.page(name) + (anchor === undefined ? '' : `#${anchor}`);
}

const plainOf = (tokens: readonly { readonly type: string; readonly text?: string; readonly tokens?: unknown }[]): string =>
  tokens.map(({ text, tokens: inner }) => (inner ? plainOf(inner as never) : (text ?? ''))).join('');

function extension(file: string, sources: Sources): MarkedExtension {
  const { addresses, folder } = sources;
  return {
    renderer: {
      html: ({ text }) => escapeHtml(text),
      heading({ tokens, depth }) {
        return `<h${depth} id="${escapeHtml(anchorOf(plainOf(tokens)))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const address = addressOf(href, file, sources);
        return address === undefined ? text : `<a href="${escapeHtml(address)}">${text}</a>`;
      },
      image({ href, text }) {
        const place = relative(folder, join(dirname(file), href));
        return `<img src="${escapeHtml(addresses.picture(place))}" alt="${escapeHtml(text)}">`;
      },
      // Scrolls by itself, also with the keyboard. On a phone each row is a card, with the names of the columns beside the values.
      table({ header, rows }: Tokens.Table) {
        const names = header.map(({ tokens }) => escapeHtml(plainOf(tokens)));
        const cell = ({ tokens }: Tokens.TableCell, at: number): string => {
          const name = at === 0 || names[at] === '' ? '' : ` data-name="${names[at]}"`;
          return `<td${name}>${this.parser.parseInline(tokens)}</td>`;
        };
        const head = header.map(({ tokens }) => `<th>${this.parser.parseInline(tokens)}</th>`).join('');
        const body = rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('\n');
        return `<div class="table" tabindex="0"><table><thead><tr>${head}</tr></thead>\n<tbody>${body}</tbody></table></div>\n`;
      },
      code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
    },
  };
}

/** `docs`: the folder that has the guide. */
export function readGuide(docs: string, addresses: GuideAddresses): GuideText {
  const folder = join(docs, 'guide');
  const own = globSync('*.md', { cwd: folder }).map((name): [string, string] => [join(folder, name), basename(name, '.md')]);
  const others = Object.entries(OTHERS).map(([name, place]): [string, string] => [join(docs, place), name]);
  const sources = { names: new Map([...own, ...others]), addresses, folder };
  const htmlOf = (text: string, file: string): string => new Marked(extension(file, sources)).parse(text, { async: false });
  const pages = [...sources.names].map(([file, name]): [string, GuidePage] => {
    const text = readFileSync(file, 'utf8');
    return [name, { title: /^# (.*)$/m.exec(text)?.[1] ?? name, html: htmlOf(text, file) }];
  });
  const contents = join(folder, `${CONTENTS}.md`);
  const lines = readFileSync(contents, 'utf8').split('\n');
  // What a link is about stands on the page only.
  const links = lines.filter((line) => /^(?:## |- \[)/.test(line)).map((line) => line.replace(/\).*/, ')'));
  return { pages: new Map(pages), contents: htmlOf(links.join('\n'), contents) };
}
