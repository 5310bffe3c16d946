// A web application that signs its users in through Gatehouse, with the library openid-client.
//
//   ISSUER=http://localhost:5000 CLIENT_ID=... CLIENT_SECRET=... node examples/web-application/server.js
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import * as client from 'openid-client';

// With PROMPT=login, people sign in each time, also if Gatehouse knows them already.
const { ISSUER = 'http://localhost:5000', CLIENT_ID, CLIENT_SECRET, PORT = '3000', PROMPT } = process.env;
if (!CLIENT_ID || !CLIENT_SECRET) throw new Error('set CLIENT_ID and CLIENT_SECRET to those of your consumer');

const home = `http://127.0.0.1:${PORT}`;
const redirectUri = `${home}/callback`;
// Plain http is for trying it out on one machine only.
const options = ISSUER.startsWith('http:') ? { execute: [client.allowInsecureRequests] } : {};
const provider = await client.discovery(new URL(ISSUER), CLIENT_ID, CLIENT_SECRET, undefined, options);

/** Sessions of this application by cookie value. A real application stores them in a database. */
const sessions = new Map();

function sessionOf(request) {
  const id = /(?:^|;\s*)app_session=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1];
  return sessions.get(id) ?? {};
}

function newSession(response, values) {
  const id = randomBytes(24).toString('base64url');
  sessions.set(id, values);
  response.setHeader('Set-Cookie', `app_session=${id}; Path=/; HttpOnly; SameSite=Lax`);
}

const escaped = (text) => String(text).replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
const page = (response, body) =>
  response
    .writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' })
    .end(`<!doctype html><html lang="en"><title>Reports</title>
<meta name="viewport" content="width=device-width"><style>body { font: 1.1rem/1.6 system-ui; max-width: 30rem; margin: 4rem auto; padding: 0 1rem }</style>
<main>${body}</main>`);
const redirect = (response, location) => response.writeHead(303, { Location: String(location) }).end();

/** Redirects the user to Gatehouse, and stores the values to check in the callback. */
async function login(response) {
  const verifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const nonce = client.randomNonce();
  newSession(response, { verifier, state, nonce });
  redirect(
    response,
    client.buildAuthorizationUrl(provider, {
      redirect_uri: redirectUri,
      scope: 'openid profile email roles organizations',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      ...(PROMPT ? { prompt: PROMPT } : {}),
    }),
  );
}

/** The user is back with a code. The library checks it and gets the tokens. */
async function callback(request, response) {
  const { verifier, state, nonce } = sessionOf(request);
  const tokens = await client.authorizationCodeGrant(provider, new URL(request.url, home), {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
  });
  const user = await client.fetchUserInfo(provider, tokens.access_token, tokens.claims().sub);
  newSession(response, { user, idToken: tokens.id_token });
  redirect(response, '/');
}

function welcome(request, response) {
  const { user } = sessionOf(request);
  if (!user) return page(response, '<h1>Reports</h1><p><a href="/login">Sign in</a></p>');
  const roles = (user.roles ?? []).map((role) => role.name).join(', ') || 'none';
  return page(
    response,
    `<h1>Hello, ${escaped(user.name)}</h1><p>Roles: ${escaped(roles)}</p><p><a href="/logout">Sign out</a></p>`,
  );
}

function logout(request, response) {
  const { idToken } = sessionOf(request);
  newSession(response, {});
  const parameters = { post_logout_redirect_uri: `${home}/`, ...(idToken ? { id_token_hint: idToken } : {}) };
  redirect(response, client.buildEndSessionUrl(provider, parameters));
}

createServer(async (request, response) => {
  try {
    const { pathname } = new URL(request.url, home);
    if (pathname === '/login') await login(response);
    else if (pathname === '/callback') await callback(request, response);
    else if (pathname === '/logout') logout(request, response);
    else welcome(request, response);
  } catch (error) {
    console.error(error);
    response.writeHead(500, { 'Content-Type': 'text/plain' }).end('Signing in did not work.');
  }
}).listen(Number(PORT), '127.0.0.1', () => console.log(`Reports: ${home}`));
