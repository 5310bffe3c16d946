// POST /openid/introspect: our own route, which replaces that of the library.
import { t } from '../../../platform/http/index.ts';
import { APPLICATION } from '../../access/context/index.ts';
import type { IdentityApp } from '../../access/rules/index.ts';
import { OAuthError } from '../../ground/resource/index.ts';
import { INTROSPECTION } from '../paths/index.ts';
import { ASSERTION_PARAMETERS } from './client-parameters.ts';
import type { Introspect } from './introspection.ts';
import { SIGNED_INTROSPECTION } from './signed-introspection.ts';

const IntrospectionRequest = t.open(
  { token: t.string() },
  {
    client_id: t.string({ description: 'The calling application, if it does not use HTTP Basic.' }),
    client_secret: t.string({ description: 'The client secret. Public applications have none.' }),
    ...ASSERTION_PARAMETERS,
  },
);
const Introspection = t.open({ active: t.boolean() });
t.name({ IntrospectionRequest, Introspection });
const INTROSPECTION_DOCUMENTATION = { body: IntrospectionRequest, error: OAuthError, otherTypes: [SIGNED_INTROSPECTION] };

export function mountIntrospection(app: IdentityApp, modules: { readonly openid: { readonly introspect: Introspect } }): void {
  app.post(
    INTROSPECTION,
    {
      id: 'introspectToken',
      summary: 'Introspect an access token',
      description:
        'RFC 7662. With `Accept: application/token-introspection+jwt` the answer is a JWT that the service has signed (RFC 9701).',
      tag: 'OpenID',
      rule: 'anyone',
      access: APPLICATION,
      form: true,
      onlyReads: true,
      body: t.open({ token: t.string({ minLength: 1, maxLength: 4096 }) }),
      documentation: INTROSPECTION_DOCUMENTATION,
      reply: { 200: Introspection },
    },
    (call) => modules.openid.introspect(call, call.body.token),
  );
}
