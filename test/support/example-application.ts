// examples/web-application as a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from './ports.ts';

const PROGRAM = fileURLToPath(new URL('../../examples/web-application/server.js', import.meta.url));

export interface ExampleApplication {
  readonly home: string;
  stop(): Promise<void>;
}

/** Where it will be, for its registration. */
export interface ExamplePlace {
  readonly home: string;
  readonly port: number;
  /** What a consumer for it needs. */
  readonly uris: { readonly redirect_uris: readonly string[]; readonly post_logout_redirect_uris: readonly string[] };
}

export async function examplePlace(): Promise<ExamplePlace> {
  const port = await freePort();
  const home = `http://127.0.0.1:${port}`;
  return { home, port, uris: { redirect_uris: [`${home}/callback`], post_logout_redirect_uris: [`${home}/`] } };
}

export async function startExample(
  { home, port }: ExamplePlace,
  issuer: string,
  consumer: { readonly id: string; readonly secret: string },
  more: Readonly<Record<string, string>> = {},
): Promise<ExampleApplication> {
  const env = {
    ...process.env,
    ISSUER: issuer,
    CLIENT_ID: consumer.id,
    CLIENT_SECRET: consumer.secret,
    PORT: String(port),
    ...more,
  };
  const child = spawn(process.execPath, [PROGRAM], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  const ended = once(child, 'exit');
  await Promise.race([
    once(child.stdout, 'data'),
    ended.then(() => Promise.reject(new Error(`the example did not start: ${said}`))),
  ]);
  return {
    home,
    async stop() {
      child.kill();
      await ended;
    },
  };
}
