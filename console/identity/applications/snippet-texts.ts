// Ready texts to start with: how to use an application from a program. test/browser/console-snippets.test.ts runs each of them.
import type { Words } from '../words/en/index.ts';
import { type Consumer, isHttp, KIND_VALUES, type Kind } from './types.ts';

export interface SnippetOptions {
  /** The address by which the provider calls itself: libraries refuse any other. */
  readonly issuer: string;
  /** When it is known; else what fits the registration is shown. */
  readonly kind?: Kind | undefined;
  readonly words: Words['snippets'];
}

export interface Snippet {
  readonly title: string;
  readonly text: string;
}

type Texts = (consumer: Consumer, options: SnippetOptions) => string;

const LOCAL = ['localhost', '127.0.0.1'];
/** A text of somebody else as a text of the program, whatever is in it. */
const quoted = (text: string): string => JSON.stringify(text);

const discovery: Texts = (_, { issuer }) => `curl ${issuer}/.well-known/openid-configuration`;

const serviceToken: Texts = ({ id }, { issuer }) =>
  `curl -u "${id}:$CLIENT_SECRET" ${issuer}/openid/token -d grant_type=client_credentials`;

const deviceCode: Texts = ({ id }, { issuer, words }) => `# ${words.deviceBegin}
curl ${issuer}/openid/device/authorize -d client_id=${id} -d scope="openid profile"
# ${words.devicePoll}
curl ${issuer}/openid/token -d client_id=${id} -d grant_type=urn:ietf:params:oauth:grant-type:device_code -d "device_code=$DEVICE_CODE"`;

const proxyQuestion: Texts = ({ id }, { issuer, words }) => `# ${words.proxyToken}
curl -u "${id}:$CLIENT_SECRET" ${issuer}/openid/introspect --data-urlencode "token=$ACCESS_TOKEN"
# ${words.proxyPermissions}
curl -H "X-Auth-Token: $TOKEN" "${issuer}/v3/OS-ROLES/users/$USER_ID/applications/${id}/permissions"`;

/** A whole program, so that it can be tried as it is. */
function nodeProgram({ id, client_type }: Consumer, { issuer, words }: SnippetOptions, redirectUri: string): string {
  const hasSecret = client_type !== 'public';
  const { protocol, hostname, port, origin } = new URL(redirectUri);
  const isHere = protocol === 'http:' && LOCAL.includes(hostname);
  const insecure = `, undefined, {
  // ${words.insecure}
  execute: [client.allowInsecureRequests],
}`;
  const secret = hasSecret ? ', process.env.CLIENT_SECRET' : issuer.startsWith('http:') ? ', undefined' : '';
  return `// ${words.nodeRun} npm install openid-client && ${hasSecret ? 'CLIENT_SECRET=... ' : ''}node sign-in.mjs
import { createServer } from 'node:http';
import * as client from 'openid-client';

const redirectUri = ${quoted(redirectUri)};
const config = await client.discovery(new URL(${quoted(issuer)}), ${quoted(id)}${secret}${issuer.startsWith('http:') ? insecure : ''});

async function begin(response) {
  const state = client.randomState();
  const verifier = client.randomPKCECodeVerifier();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid profile email roles',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
  });
  // ${words.nodeCookie}
  const cookie = \`sign-in=\${state}.\${verifier}; Path=/; HttpOnly; SameSite=Lax${protocol === 'https:' ? '; Secure' : ''}\`;
  response.writeHead(303, { Location: url.href, 'Set-Cookie': cookie }).end();
}

async function finish(request, url) {
  const [, state, verifier] = /\\bsign-in=([\\w-]+)\\.([\\w-]+)/.exec(request.headers.cookie);
  const tokens = await client.authorizationCodeGrant(config, url, { expectedState: state, pkceCodeVerifier: verifier });
  return client.fetchUserInfo(config, tokens.access_token, tokens.claims().sub);
}

createServer(async (request, response) => {
  try {
    const url = new URL(request.url, redirectUri);
    if (!url.searchParams.has('state')) return await begin(response);
    const person = await finish(request, url);
    // ${words.nodePerson}
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(person));
  } catch (error) {
    console.error(error);
    response.writeHead(400).end();
  }
}).listen(${isHere ? `${port || 80}, ${quoted(hostname)}` : '3000'}, () => console.log(${quoted(words.nodeOpen(`${origin}/`))}));`;
}

export function snippetsOf(consumer: Consumer, options: SnippetOptions): readonly Snippet[] {
  const { words, kind } = options;
  const isPublic = consumer.client_type === 'public';
  const hasAddresses = kind ? KIND_VALUES[kind].hasAddresses : consumer.redirect_uris.length > 0;
  // Addresses of apps on a phone (app.example:/callback) are for programs that are not served by HTTP.
  const redirectUri = consumer.redirect_uris.find(isHttp);
  const text = (title: string, textOf: Texts): Snippet => ({ title, text: textOf(consumer, options) });
  return [
    text(words.discovery, discovery),
    ...(hasAddresses && redirectUri ? [{ title: words.node, text: nodeProgram(consumer, options, redirectUri) }] : []),
    ...(isPublic && !hasAddresses ? [text(words.device, deviceCode)] : []),
    ...(isPublic ? [] : [text(words.service, serviceToken), text(words.proxy, proxyQuestion)]),
  ];
}
