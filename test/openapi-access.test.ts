// What the OpenAPI documents say about authentication is what the services enforce: every operation, without any token.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { identityOpenApi, walletOpenApi } from '../src/openapi.ts';
import type { Schema } from '../src/platform/http/index.ts';
import { onDatabase } from './support/api.ts';
import { sampleOf } from './support/every-route.ts';
import { dereferenced } from './support/openapi.ts';
import { onWallet } from './support/wallet.ts';

interface Operation {
  readonly description: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
  readonly security: readonly object[];
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const FORM = 'application/x-www-form-urlencoded';

/** The secret of these is in their body. */
const SECRET_IN_BODY = ['POST /v3/auth/tokens', 'POST /v3/users/{user_id}/password'];
/** OAuth refuses requests in which nothing authenticates the client as invalid ones. */
const NOT_AUTHENTICATED = /no client authentication|Authorization with OAuth/;
/** Where no policy lets applications register themselves, whatever they send. */
const NOBODY_MAY = /Applications do not register themselves here/;
/** The dashboard of the request is refused, as Keystone does. */
const OTHER_401 = /\/websso(\/|$)|\/auth\/callback$/;

async function differencesIn(document: Document, url: string): Promise<string[]> {
  const differences: string[] = [];
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { description, requestBody, responses, security }] of Object.entries(methods)) {
      const name = `${method.toUpperCase()} ${path}`;
      const { [FORM]: form, ...others } = requestBody?.content ?? {};
      const [type, { schema } = { schema: undefined }] = Object.entries(others)[0] ?? (form ? [FORM, form] : ['']);
      const sample = schema && (sampleOf(schema) as Record<string, string>);
      const answer = await fetch(url + path.replace(/\{\w+\}/g, 'x'), {
        method: method.toUpperCase(),
        redirect: 'manual',
        headers: requestBody ? { 'Content-Type': type } : {},
        ...(sample ? { body: type === FORM ? new URLSearchParams(sample) : JSON.stringify(sample) } : {}),
      });
      const text = await answer.text();
      const needsToken = security.length > 0;
      const isRefused =
        (answer.status === 401 && !SECRET_IN_BODY.includes(name) && !OTHER_401.test(path)) ||
        (answer.status === 400 && NOT_AUTHENTICATED.test(text)) ||
        (answer.status === 403 && NOBODY_MAY.test(text));
      if (needsToken !== isRefused)
        differences.push(`${name}: ${needsToken ? 'a' : 'no'} token is said to be needed, ${answer.status} ${text}`);
      if (needsToken && !responses['401']) differences.push(`${name}: 401 is missing`);
      if (needsToken === description.includes('No token is needed')) differences.push(`${name}: ${description}`);
      const said = responses[String(answer.status)] ?? responses.default;
      const [sent] = (answer.headers.get('content-type') ?? '').split(';');
      if (sent && said?.content && !Object.hasOwn(said.content, sent)) differences.push(`${name}: ${answer.status} as ${sent}`);
    }
  return differences;
}

onDatabase('SQLite', 'The OpenAPI document of the identity service, about requests without a token', {}, (api) => {
  it('says of each operation what is enforced, and in which format it refuses', async () => {
    assert.deepEqual(await differencesIn(dereferenced(identityOpenApi() as unknown as Document), api.url), []);
  });
});

onWallet('SQLite', 'The OpenAPI document of the wallet, about requests without a token', {}, (wallet) => {
  it('says of each operation what is enforced, and in which format it refuses', async () => {
    assert.deepEqual(await differencesIn(dereferenced(walletOpenApi() as unknown as Document), wallet.url), []);
  });
});
