// Wire format of credentials: secrets a user stores here, such as the key of a TOTP app.
import { t } from '../../../platform/http/index.ts';
import type { CredentialRow } from '../../ground/database/index.ts';
import { Links, ListLinks, parseJson } from '../../ground/resource/index.ts';

const Id = t.string({ minLength: 1, maxLength: 64 });
const Type = t.string({ minLength: 1, maxLength: 255 });
const Blob = t.string({ minLength: 1, maxLength: 65_536 });

export const credentialFields = ['type', 'blob', 'user_id', 'project_id'];
const NewCredential = t.open({ type: Type, blob: Blob }, { user_id: Id, project_id: t.nullable(Id) });
export const CreateCredential = t.envelope('credential', NewCredential);
const CredentialChanges = t.changes(t.open({}, { type: Type, blob: Blob, user_id: Id, project_id: t.nullable(Id) }));
export const UpdateCredential = t.envelope('credential', CredentialChanges);

const Credential = t.open({
  id: t.string(),
  type: t.string(),
  blob: t.string(),
  user_id: t.string(),
  project_id: t.nullable(t.string()),
  links: Links,
});
export const CredentialEnvelope = t.envelope('credential', Credential);
export const CredentialList = t.object({ links: ListLinks, credentials: t.array(Credential) });

export type DecryptedCredential = CredentialRow & { readonly plain: string };

export const renderCredential = (base: string, row: DecryptedCredential) => ({
  ...parseJson(row.extra),
  id: row.id,
  type: row.type,
  blob: row.plain,
  user_id: row.user_id,
  project_id: row.project_id,
  links: { self: `${base}/v3/credentials/${row.id}` },
});

t.name({ NewCredential, CreateCredential, CredentialChanges, UpdateCredential, Credential, CredentialEnvelope, CredentialList });
