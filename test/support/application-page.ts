// An application with its own pages, for browser tests: a link to sign in, and a page with the result.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before } from 'node:test';
import * as client from 'openid-client';
import type { TestApi } from './api.ts';
import { RelyingParty, type TokenSet } from './relying-party.ts';

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

const pageOf = (text: string): string =>
  `<!doctype html><html lang="en"><title>The application</title><p id="outcome">${escaped(text)}</p><a href="/sign-in">Sign in</a></html>`;

export class ApplicationPage {
  readonly url: string;
  readonly party: RelyingParty;
  /** What the application received, in order. */
  readonly received: TokenSet[] = [];
  readonly #server: Server;
  readonly #checks = new Map<string, client.AuthorizationCodeGrantChecks>();

  private constructor(server: Server, url: string, party: RelyingParty) {
    this.#server = server;
    this.url = url;
    this.party = party;
  }

  static async start(api: TestApi, values: Record<string, unknown> = {}): Promise<ApplicationPage> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const uris = { redirect_uris: [`${url}/callback`], post_logout_redirect_uris: [`${url}/bye`] };
    const page = new ApplicationPage(server, url, await RelyingParty.make(api, { ...uris, ...values }));
    server.on('request', (request, response) => {
      page.#answer(new URL(request.url ?? '/', url)).then(
        (answer) =>
          typeof answer === 'string'
            ? response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(pageOf(answer))
            : response.writeHead(303, { Location: answer.href }).end(),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
    return page;
  }

  get name(): string {
    return this.party.application.name;
  }

  /** The URL where a person starts, with parameters of the authorization request. */
  signIn(more: Record<string, string> = {}): string {
    return `${this.url}/sign-in?${new URLSearchParams(more)}`;
  }

  async #answer(at: URL): Promise<string | URL> {
    if (at.pathname === '/sign-in') {
      const { url, checks } = await this.party.ask({
        redirect_uri: `${this.url}/callback`,
        ...Object.fromEntries(at.searchParams),
      });
      this.#checks.set(String(checks.expectedState), checks);
      return url;
    }
    if (at.pathname !== '/callback') return 'Welcome';
    try {
      const tokens = await client.authorizationCodeGrant(
        this.party.config,
        at,
        this.#checks.get(at.searchParams.get('state') ?? ''),
      );
      this.received.push(tokens);
      return `Hello ${tokens.claims()!.sub}`;
    } catch (error) {
      if (error instanceof client.AuthorizationResponseError) return `Refused: ${error.error}`;
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** One application for all tests of a suite. */
export function withApplication(api: TestApi): () => ApplicationPage {
  let application: ApplicationPage;
  before(async () => {
    application = await ApplicationPage.start(api);
  });
  after(() => application.stop());
  return () => application;
}

/** A device authorization request (RFC 8628). */
export async function startDevice(api: TestApi, { id, secret }: { id: string; secret: string }) {
  const headers = { Authorization: `Basic ${btoa(`${id}:${secret}`)}` };
  const send = async (path: string, fields: Record<string, string>): Promise<any> =>
    (await fetch(api.url + path, { method: 'POST', headers, body: new URLSearchParams(fields) })).json();
  const started = await send('/openid/device/authorize', { client_id: id, scope: 'openid' });
  const poll = () =>
    send('/openid/token', {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: started.device_code,
      client_id: id,
    });
  return { code: started.user_code as string, complete: started.verification_uri_complete as string, poll };
}
