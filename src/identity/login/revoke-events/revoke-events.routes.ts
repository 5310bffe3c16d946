// /v3/OS-REVOKE/events, and /v3/OS-SIMPLE-CERT
import { t } from '../../../platform/http/index.ts';
import type { IdentityApp } from '../../access/rules/index.ts';
import { fail } from '../../ground/faults.ts';
import { KeystoneError, ListLinks, single, wholeList } from '../../ground/resource/index.ts';
import type { RevokeEvents } from './revoke-events.rules.ts';

const tag = 'Tokens';

const RevokeEvent = t.open(
  { issued_before: t.string({ description: 'Tokens that were issued later are not concerned.' }), revoked_at: t.string() },
  {
    audit_id: t.string(),
    user_id: t.string(),
    role_id: t.string(),
    project_id: t.string(),
    domain_id: t.string({ description: 'The domain of the user, or of the project or domain that the token is for.' }),
    domain_scope_id: t.string({ description: 'The domain that the token is for.' }),
    'OS-TRUST:trust_id': t.string(),
    'OS-OAUTH1:access_token_id': t.string(),
    'OS-OAUTH1:consumer_id': t.string(),
  },
);
const RevokeEventList = t.object({ links: ListLinks, events: t.array(RevokeEvent) });

export function mountRevokeEvents(app: IdentityApp, { revokeEvents }: { readonly revokeEvents: RevokeEvents }): void {
  app.get(
    '/v3/OS-REVOKE/events',
    {
      id: 'listRevokeEvents',
      summary: 'List revocation events',
      description:
        'For services that check tokens themselves. Validation by this service already considers these events. An event revokes the tokens that match all of its attributes.',
      tag,
      rule: 'identity:list_revoke_events',
      documentation: { query: { since: 'Only events since this time, in ISO 8601.' } },
      reply: { 200: RevokeEventList },
    },
    async (call) => wholeList(call, 'events', await revokeEvents.list(single(call.query, 'since'))),
  );

  for (const [path, id, summary] of [
    ['/v3/OS-SIMPLE-CERT/ca', 'getPkiAuthority', 'Show the CA certificate of PKI tokens (always 410: there are none)'],
    ['/v3/OS-SIMPLE-CERT/certificates', 'getPkiCertificates', 'Show the certificates of PKI tokens (always 410: there are none)'],
  ] as const)
    app.get(path, { id, summary, tag, rule: 'anyone', reply: { 410: KeystoneError } }, () => fail('pki.gone'));
}

t.name({ RevokeEvent, RevokeEventList });
