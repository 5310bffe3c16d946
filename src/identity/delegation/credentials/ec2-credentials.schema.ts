// Wire format of EC2 keys, which are credentials of the type `ec2`.
import { t } from '../../../platform/http/index.ts';
import { Links, ListLinks } from '../../ground/resource/index.ts';
import { readEc2Blob } from './content.ts';
import type { DecryptedCredential } from './credentials.schema.ts';

const Id = t.string({ minLength: 1, maxLength: 64 });

export const CreateEc2Credential = t.open({ tenant_id: Id }, {}, { description: '`tenant_id` is the project.' });

const Ec2Credential = t.object({
  user_id: t.string(),
  tenant_id: t.nullable(t.string()),
  access: t.string({ description: 'The name of the key, which a request has beside its signature.' }),
  secret: t.nullable(t.string({ description: 'What requests are signed with.' })),
  trust_id: t.nullable(t.string()),
  links: Links,
});
export const Ec2CredentialEnvelope = t.envelope('credential', Ec2Credential);
export const Ec2CredentialList = t.object({ links: ListLinks, credentials: t.array(Ec2Credential) });

export function renderEc2Credential(base: string, { user_id, project_id, plain }: DecryptedCredential) {
  const blob = readEc2Blob(plain);
  const access = blob?.access ?? '';
  const trustId = blob?.delegations.trust_id;
  return {
    user_id,
    tenant_id: project_id,
    access,
    secret: blob?.secret ?? null,
    trust_id: typeof trustId === 'string' ? trustId : null,
    links: { self: `${base}/v3/users/${encodeURIComponent(user_id)}/credentials/OS-EC2/${encodeURIComponent(access)}` },
  };
}

t.name({ CreateEc2Credential, Ec2Credential, Ec2CredentialEnvelope, Ec2CredentialList });
