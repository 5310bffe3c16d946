// The guide in a browser, as both services serve it.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { it } from 'node:test';
import { onDatabase } from './support/api.ts';
import { blocksOf } from './support/guides.ts';
import { onWallet } from './support/wallet.ts';

const NAMES = globSync('docs/guide/*.md').map((path) => basename(path, '.md'));
const OTHERS = ['quick-start', 'config', 'errors', 'metrics'];

it('The blocks of the guide are run, or say why not, or are only shown', () => {
  // The whole run goes through them; a page that it cannot read would stop it.
  for (const name of NAMES) assert.ok(Array.isArray(blocksOf(`docs/guide/${name}.md`)), name);
});

onDatabase('SQLite', 'The guide at the identity service', {}, (api) => {
  const ask = (path: string, init: RequestInit = {}) => fetch(api.url + path, init);
  const textOf = async (path: string): Promise<string> => {
    const answer = await ask(path);
    assert.equal(answer.status, 200, path);
    assert.match(answer.headers.get('content-type')!, /^text\/html/);
    return answer.text();
  };

  it('has every page, whose links and pictures lead somewhere, and nothing of others in it', async () => {
    const paths = ['/guide', ...[...NAMES, ...OTHERS].filter((name) => name !== 'README').map((name) => `/guide/${name}`)];
    const texts = new Map<string, string>();
    for (const path of paths) texts.set(path, await textOf(path));
    const anchors = (path: string) => new Set([...texts.get(path)!.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const files = new Set<string>();
    for (const [path, text] of texts) {
      assert.doesNotMatch(text, /<script|<style|javascript:| on\w+=|(?:src|rel="stylesheet" href)="(?!\/guide\/)/, path);
      for (const [, href] of text.matchAll(/<a (?:class="\w+" )?href="([^"]*)"/g)) {
        if (href!.startsWith('https://') || href === '/') continue;
        const [to, anchor] = href!.split('#', 2);
        const target = to === '' ? path : to!;
        assert.ok(texts.has(target), `${path} links to ${href}`);
        if (anchor !== undefined) assert.ok(anchors(target).has(anchor), `${path}: ${href}`);
      }
      for (const [, src] of text.matchAll(/(?:<img src|<link [^>]*href)="([^"]+)"/g)) files.add(src!);
    }
    assert.ok([...files].some((file) => file.endsWith('.png')));
    for (const file of files) assert.equal((await ask(file)).status, 200, file);
  });

  it('lists every page, and marks the one that is shown', async () => {
    const contents = await textOf('/guide');
    for (const name of NAMES) if (name !== 'README') assert.ok(contents.includes(`href="/guide/${name}"`), name);
    assert.match(await textOf('/guide/passkeys'), /href="\/guide\/passkeys" aria-current="page"/);
  });

  it('has a page for every screen', () => {
    // Not imported: the modules of the screens are for browsers.
    const sources = ['identity', 'wallet'].map((name) => readFileSync(`console/${name}/screens.ts`, 'utf8')).join('\n');
    const screens = [...sources.matchAll(/^ {2}screen\('([^']+)', [\s\S]*?'([\w-]+)'\s*\),$/gm)];
    assert.ok(screens.length > 30);
    for (const [, path, guide] of screens) assert.ok(NAMES.includes(guide!), path);
  });

  it('is sent again only when it has changed, and refuses everything else', async () => {
    const etag = (await ask('/guide')).headers.get('etag')!;
    assert.equal((await ask('/guide', { headers: { 'If-None-Match': etag } })).status, 304);
    const head = await ask('/guide/mail', { method: 'HEAD' });
    assert.deepEqual([head.status, await head.text()], [200, '']);
    const policy = head.headers.get('content-security-policy')!;
    assert.doesNotMatch(policy, /unsafe|\*|https?:|script/);
    const refused = await ask('/guide/mail', { method: 'POST' });
    assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD']);
    for (const path of [
      '/guide/none',
      '/guide/mail.md',
      '/guide/..%2Fmap',
      '/guide/styles/x',
      '/guide/pictures/../mail.md',
      '/guide/README',
    ])
      assert.equal((await ask(path)).status, 404, path);
  });
});

onWallet('SQLite', 'The guide at the wallet node', {}, (wallet) => {
  it('is the same', async () => {
    const answer = await fetch(`${wallet.url}/guide/credentials`);
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /<h1 id="credentials-receive-one-show-one">/);
  });
});
