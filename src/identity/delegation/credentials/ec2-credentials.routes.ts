// /v3/users/{user_id}/credentials/OS-EC2
import type { Caller, IdentityApp } from '../../access/rules/index.ts';
import { wholeList } from '../../ground/resource/index.ts';
import type { Ec2Credentials } from './ec2-credentials.rules.ts';
import { CreateEc2Credential, Ec2CredentialEnvelope, Ec2CredentialList, renderEc2Credential } from './ec2-credentials.schema.ts';

const tag = 'EC2';

export function mountEc2Credentials(app: IdentityApp, { ec2Credentials }: { readonly ec2Credentials: Ec2Credentials }): void {
  const all = '/v3/users/:user_id/credentials/OS-EC2';
  const one = '/v3/users/:user_id/credentials/OS-EC2/:credential_id';
  const owner = ({ params }: { params: { user_id: string } }) => ec2Credentials.ownerTarget(params.user_id);
  const key = ({ caller, params }: { caller: Caller; params: { user_id: string; credential_id: string } }) =>
    ec2Credentials.target(caller, params.user_id, params.credential_id);

  app.get(
    all,
    {
      id: 'listEc2Credentials',
      summary: 'List the EC2 keys of a user',
      tag,
      rule: 'identity:ec2_list_credentials',
      target: owner,
      reply: { 200: Ec2CredentialList },
    },
    async (call) => wholeList(call, 'credentials', await ec2Credentials.list(call.target), renderEc2Credential),
  );
  app.post(
    all,
    {
      id: 'createEc2Credential',
      summary: 'Create an EC2 key for a project',
      description:
        'Programs sign their requests to EC2 and S3 with it. It gives them the roles that the user has in the project.',
      tag,
      rule: 'identity:ec2_create_credential',
      target: owner,
      body: CreateEc2Credential,
      reply: { 201: Ec2CredentialEnvelope },
    },
    async ({ caller, target, body, base }) => ({
      credential: renderEc2Credential(base, await ec2Credentials.create(caller, target, body.tenant_id)),
    }),
  );
  app.get(
    one,
    {
      id: 'getEc2Credential',
      summary: 'Show an EC2 key',
      description: '`credential_id` is the name of the key (`access`).',
      tag,
      rule: 'identity:ec2_get_credential',
      target: key,
      reply: { 200: Ec2CredentialEnvelope },
    },
    ({ target, base }) => ({ credential: renderEc2Credential(base, ec2Credentials.get(target)) }),
  );
  app.delete(
    one,
    {
      id: 'deleteEc2Credential',
      summary: 'Delete an EC2 key, and with it its tokens',
      tag,
      rule: 'identity:ec2_delete_credential',
      target: key,
      reply: { 204: null },
    },
    ({ caller, target }) => ec2Credentials.remove(caller, target),
  );
}
