// POST /openid/introspect, as a route of ours: the library's own is never asked.
import { Answer, t } from '../../../platform/http/index.ts';
import type { IdentityApp } from '../../access/index.ts';
import type { Introspect } from './introspection.ts';

const INTROSPECTED = {
  body: t.open(
    { token: t.string() },
    {
      client_id: t.string({ description: 'The application that asks, where it does not use HTTP Basic.' }),
      client_secret: t.string({ description: 'Its secret; public applications have none.' }),
    },
  ),
  error: t.object({ error: t.string(), error_description: t.string() }),
};

export function mountIntrospection(app: IdentityApp, parts: { readonly openid: { readonly introspect: Introspect } }): void {
  app.post(
    '/openid/introspect',
    {
      summary: 'Whether an access token is good (RFC 7662)',
      tag: 'OpenID',
      rule: 'anyone',
      form: true,
      onlyReads: true,
      body: t.open({ token: t.string({ minLength: 1, maxLength: 4096 }) }),
      documentation: INTROSPECTED,
      reply: { 200: t.open({ active: t.boolean() }) },
    },
    async (call) => {
      const { headers, body } = call;
      return new Answer({ text: await parts.openid.introspect(call, body.token, headers.authorization, body) });
    },
  );
}
