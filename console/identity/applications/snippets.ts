// Ready texts to start with: how to use an application from a program.
import { html, type TemplateResult } from 'lit';
import { copyText } from '../../shared/dialog.ts';
import { shared } from '../../shared/words/index.ts';
import { words } from '../words/index.ts';
import { type Consumer, KIND_VALUES, type Kind } from './types.ts';

/** The address of the service, as browsers know it. */
const issuer = (): string => window.location.origin;

const discovery = (): string => `curl ${issuer()}/.well-known/openid-configuration`;

const serviceToken = ({ id }: Consumer): string =>
  `curl -u "${id}:$CLIENT_SECRET" ${issuer()}/openid/token -d grant_type=client_credentials`;

const deviceCode = ({ id }: Consumer): string =>
  `curl ${issuer()}/openid/device/authorize -d client_id=${id} -d scope="openid profile"`;

const nodeClient = ({ id, redirect_uris: uris, client_type }: Consumer): string => `import * as client from 'openid-client';

const config = await client.discovery(new URL('${issuer()}'), '${id}'${client_type === 'public' ? '' : ', process.env.CLIENT_SECRET'});
const code_verifier = client.randomPKCECodeVerifier();
const state = client.randomState();
const url = client.buildAuthorizationUrl(config, {
  redirect_uri: '${uris[0] ?? 'https://your.application/callback'}',
  scope: 'openid profile email roles',
  code_challenge: await client.calculatePKCECodeChallenge(code_verifier),
  code_challenge_method: 'S256',
  state,
});
// Send the browser to url. When it comes back to redirect_uri:
const tokens = await client.authorizationCodeGrant(config, new URL(request.url, '${uris[0] ?? 'https://your.application/callback'}'), {
  pkceCodeVerifier: code_verifier,
  expectedState: state,
});
const person = await client.fetchUserInfo(config, tokens.access_token, tokens.claims().sub);`;

const proxyQuestion = ({ id }: Consumer): string => `# Who is this access token, and is it valid?
curl -u "${id}:$CLIENT_SECRET" ${issuer()}/openid/introspect --data-urlencode "token=$ACCESS_TOKEN"
# What may this person do in the application? ($TOKEN: a token of the proxy's own account, with the role "service")
curl -H "X-Auth-Token: $TOKEN" ${issuer()}/v3/OS-ROLES/users/$USER_ID/applications/${id}/permissions`;

/** `kind` when it is known; else what fits the registration. */
export function snippetsOf(consumer: Consumer, kind?: Kind): readonly { readonly title: string; readonly text: string }[] {
  const { applications } = words;
  const isPublic = consumer.client_type === 'public';
  const hasAddresses = kind ? KIND_VALUES[kind].hasAddresses : consumer.redirect_uris.length > 0;
  return [
    { title: applications.snippetDiscovery, text: discovery() },
    ...(hasAddresses ? [{ title: applications.snippetNode, text: nodeClient(consumer) }] : []),
    ...(isPublic && !hasAddresses ? [{ title: applications.snippetDevice, text: deviceCode(consumer) }] : []),
    ...(isPublic ? [] : [{ title: applications.snippetService, text: serviceToken(consumer) }]),
    ...(isPublic ? [] : [{ title: applications.snippetProxy, text: proxyQuestion(consumer) }]),
  ];
}

export const snippets = (consumer: Consumer, kind?: Kind): TemplateResult =>
  html`${snippetsOf(consumer, kind).map(
    ({ title, text }) => html`<section class="card">
    <header>
      <h2>${title}</h2>
      <button type="button" class="second small" @click=${() => void copyText(text)}>${shared.copy}</button>
    </header>
    <pre tabindex="0" aria-label=${title}>${text}</pre>
  </section>`,
  )}`;
