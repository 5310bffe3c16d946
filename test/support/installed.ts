// Uses a service that was installed in one of the ways of packaging/: logs in, and loads a page with its modules.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { TestApi } from './api.ts';
import type { GatehouseProcess } from './process.ts';
import { TestBrowser } from './test-browser.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A request over TLS to a name that leads to this machine for the test only. */
export async function overTls(
  url: string,
  { body, ...options }: RequestOptions & { readonly body?: string | Buffer } = {},
): Promise<Answer> {
  const sent = request(url, { ...options, agent: false });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode!, headers: response.headers, text: await text(response) };
}

export const loginBody = (password: string, name = 'admin'): string =>
  JSON.stringify({
    auth: {
      identity: { methods: ['password'], password: { user: { name, domain: { id: 'default' }, password } } },
      scope: { project: { name: 'admin', domain: { id: 'default' } } },
    },
  });

/** The token of the administrator. */
async function logIn(url: string, password: string): Promise<string> {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(`${url}/v3/auth/tokens`, { method: 'POST', headers, body: loginBody(password) });
  assert.equal(answer.status, 201, await answer.text());
  return answer.headers.get('x-subject-token')!;
}

/** Every module and style sheet that the document of a page names. Types must be gone. */
async function loadFiles(base: string, html: string): Promise<void> {
  const files = [...html.matchAll(/(?:modulepreload|stylesheet)" href="([^"]+)"/g)].map(([, href]) => new URL(href!, base));
  assert.ok(files.length > 10, html);
  for (const file of files) {
    const answer = await fetch(file);
    const code = await answer.text();
    assert.equal(answer.status, 200, String(file));
    assert.doesNotMatch(code, /^\s*(?:import type|export type|interface|export interface) /m, String(file));
  }
}

/** It is a file of the package, which nothing else reads. */
async function readApiDocument(url: string): Promise<void> {
  const { servers, paths } = (await (await fetch(`${url}/openapi.json`)).json()) as Record<string, any>;
  assert.equal(servers[0].url, url);
  assert.match(JSON.stringify(paths), /"example":/);
}

/** Logs in by API, signs in to the console as in a browser, loads all modules of both kinds of pages, and stops the service. */
export async function useInstalled(
  service: GatehouseProcess,
  password: string,
  exits: readonly (number | null)[] = [0],
): Promise<void> {
  try {
    const url = await service.listening();
    const token = await logIn(url, password);
    const users = await fetch(`${url}/v3/users`, { headers: { 'X-Auth-Token': token } });
    assert.equal(users.status, 200);
    const page = await new TestBrowser({ url } as TestApi).signIn(`${url}/console`, { name: 'admin', password });
    assert.equal(page.status, 200, page.text);
    await loadFiles(url, page.text);
    const wallet = await service.walletListening();
    for (const one of [url, wallet]) await readApiDocument(one);
    await loadFiles(wallet, await (await fetch(wallet, { headers: { Accept: 'text/html' } })).text());
  } finally {
    // npm may end before the service does; the pipe closes with the last of them.
    const closed = once(service.child.stdout!, 'close');
    const exit = await service.stop();
    await closed;
    assert.ok(exits.includes(exit), `exit ${exit}: ${service.stderr}`);
    assert.match(service.stdout, /"msg":"stopping"/);
  }
}
