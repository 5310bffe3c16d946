// Requests to the endpoints of the library at which clients authenticate: an assertion in them is checked before the library sees it.
import type { IncomingMessage } from 'node:http';
import { readBody } from '../../../platform/http/index.ts';
import { KEYROCK_TOKEN, ROOT } from '../paths/index.ts';
import { type ClientAssertions, ClientAuthenticationError } from './assertions.ts';
import { withBody } from './form-body.ts';
import type { LibraryAssertions } from './library-assertions.ts';

const FORM = 'application/x-www-form-urlencoded';
const MAX_BODY = 56 * 1024;

export const TOKEN = `${ROOT}/token`;
/** All but introspection, which is ours. */
export const AUTHENTICATING_PATHS: readonly string[] = [
  TOKEN,
  KEYROCK_TOKEN,
  `${ROOT}/revoke`,
  `${ROOT}/par`,
  `${ROOT}/device/authorize`,
  `${ROOT}/backchannel`,
];

/** Who an assertion may be for that is sent to a path (RFC 7523, 3; OpenID Connect Core, 9; RFC 9126, 2). */
export const audiencesAt = (issuer: string, path: string): readonly string[] => [issuer, `${issuer}${TOKEN}`, `${issuer}${path}`];

export interface CheckedRequestDeps {
  readonly clientAssertions: ClientAssertions;
  readonly libraryAssertions: LibraryAssertions;
  issuer(): string;
}

/** Throws a ClientAuthenticationError. A request without an assertion stays as it is. */
export async function withCheckedAssertion(
  deps: CheckedRequestDeps,
  request: IncomingMessage,
  { path, address }: { readonly path: string; readonly address: string },
): Promise<IncomingMessage> {
  const { 'content-type': type = '', authorization } = request.headers;
  // With both, the library refuses the request.
  if (!type.toLowerCase().startsWith(FORM) || authorization !== undefined) return request;
  const text = (await readBody(request, MAX_BODY)).toString();
  const form = new URLSearchParams(text);
  const sent = form.getAll('client_assertion');
  if (sent.length === 0) return withBody(request, text);
  if (['client_assertion', 'client_assertion_type', 'client_id'].some((name) => form.getAll(name).length > 1))
    throw new ClientAuthenticationError('a parameter is given twice');
  const audiences = audiencesAt(deps.issuer(), path);
  const client = await deps.clientAssertions.check(
    {
      client_assertion: sent[0],
      client_assertion_type: form.get('client_assertion_type'),
      client_id: form.get('client_id') ?? undefined,
    },
    { audiences, address },
  );
  form.set('client_assertion', await deps.libraryAssertions.make(client));
  return withBody(request, form.toString());
}
