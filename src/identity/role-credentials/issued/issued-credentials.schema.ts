// Wire format of issued credentials.
import { isoTime } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import type { IssuedCredentialRow } from '../../ground/database/index.ts';
import { Links, ListLinks } from '../../ground/resource/index.ts';
import type { SaidRole } from './issued-credentials.store.ts';

export interface IssuedCredentialView {
  readonly row: IssuedCredentialRow;
  readonly said: readonly SaidRole[];
  /** In seconds: when the wallet last got it anew. */
  readonly refreshedAt: number | undefined;
}

const STATES = ['valid', 'suspended', 'revoked'] as const;

const SaidRoles = t.object({
  target: t.string({ description: 'The application: its DID, or its id.' }),
  names: t.array(t.string()),
});

const IssuedCredential = t.object({
  id: t.string(),
  user_id: t.string(),
  type_id: t.string(),
  application_id: t.string(),
  client_id: t.nullable(t.string({ description: 'The program that fetched it.' })),
  issuance_id: t.string({ description: 'The same for those that were fetched together.' }),
  format: t.string(),
  roles: t.array(SaidRoles, { description: 'What it says.' }),
  state: t.oneOf(...STATES),
  reason: t.nullable(t.string({ description: 'Why it is suspended or revoked.' })),
  issued_at: t.string(),
  expires_at: t.string(),
  first_issued_at: t.string({ description: 'When the same wallet got the first of this type in this format.' }),
  refreshed_at: t.nullable(t.string({ description: 'When the same wallet last got it anew. Null: never.' })),
  changed_at: t.string({ description: 'When the state was changed.' }),
  links: Links,
});

export const IssuedCredentialEnvelope = t.envelope('credential', IssuedCredential);
export const IssuedCredentialList = t.object({ links: ListLinks, credentials: t.array(IssuedCredential) });

export const UpdateIssuedCredential = t.envelope(
  'credential',
  t.object({
    state: {
      ...t.oneOf('valid', 'suspended'),
      description: '`suspended` can be taken back by `valid`. What is revoked stays revoked.',
    },
  }),
);

export const isState = (text: string): boolean => (STATES as readonly string[]).includes(text);

const time = (seconds: number): string => isoTime(seconds * 1000);

export function renderIssued(base: string, { row, said, refreshedAt }: IssuedCredentialView) {
  const byTarget = Map.groupBy(said, ({ target }) => target);
  return {
    id: row.id,
    user_id: row.user_id,
    type_id: row.type_id,
    application_id: row.application_id,
    client_id: row.client_id,
    issuance_id: row.issuance_id,
    format: row.format,
    roles: [...byTarget].map(([target, own]) => ({ target, names: own.map(({ name }) => name) })),
    state: row.state,
    reason: row.reason,
    issued_at: time(row.issued_at),
    expires_at: time(row.expires_at),
    first_issued_at: time(row.first_issued_at ?? row.issued_at),
    refreshed_at: refreshedAt === undefined ? null : time(refreshedAt),
    changed_at: time(row.changed_at),
    links: { self: `${base}/v3/OS-ROLE-CREDENTIALS/credentials/${row.id}` },
  };
}

t.name({ SaidRoles, IssuedCredential, IssuedCredentialEnvelope, IssuedCredentialList, UpdateIssuedCredential });
