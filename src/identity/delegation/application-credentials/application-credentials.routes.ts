// /v3/users/{user_id}/application_credentials and /v3/users/{user_id}/access_rules
import type { IdentityApp } from '../../access/rules/index.ts';
import { filterDocumentation, wholeList } from '../../ground/resource/index.ts';
import type { ApplicationCredentials } from './application-credentials.rules.ts';
import {
  AccessRuleEnvelope,
  AccessRuleList,
  ApplicationCredentialEnvelope,
  ApplicationCredentialList,
  CreateApplicationCredential,
  CreatedApplicationCredential,
  renderAccessRule,
  renderApplicationCredential,
} from './application-credentials.schema.ts';

const tag = 'Application credentials';

export function mountApplicationCredentials(
  app: IdentityApp,
  { applicationCredentials }: { readonly applicationCredentials: ApplicationCredentials },
): void {
  const all = '/v3/users/:user_id/application_credentials';
  const one = '/v3/users/:user_id/application_credentials/:application_credential_id';
  const owner = ({ params }: { params: { user_id: string } }) => applicationCredentials.listTarget(params.user_id);
  const credential = ({ params }: { params: { user_id: string; application_credential_id: string } }) =>
    applicationCredentials.target(params.user_id, params.application_credential_id);
  const rule = ({ params }: { params: { user_id: string; access_rule_id: string } }) =>
    applicationCredentials.ruleTarget(params.user_id, params.access_rule_id);

  app.get(
    all,
    {
      id: 'listUserApplicationCredentials',
      summary: 'List the application credentials of a user',
      tag,
      rule: 'identity:list_application_credentials',
      target: owner,
      documentation: filterDocumentation(['name']),
      reply: { 200: ApplicationCredentialList },
    },
    async (call) =>
      wholeList(
        call,
        'application_credentials',
        await applicationCredentials.list(call.target, call.query),
        renderApplicationCredential,
      ),
  );
  app.post(
    all,
    {
      id: 'createUserApplicationCredential',
      summary: 'Create an application credential for the project of the token',
      description: 'With the roles of the token, or some of them. The secret is in this answer only.',
      tag,
      rule: 'identity:create_application_credential',
      target: owner,
      body: CreateApplicationCredential,
      reply: { 201: CreatedApplicationCredential },
    },
    async ({ caller, target, body, base }) => {
      const { created, secret } = await applicationCredentials.create(caller, target, body.application_credential);
      return { application_credential: { ...renderApplicationCredential(base, created), secret } };
    },
  );
  app.get(
    one,
    {
      id: 'getUserApplicationCredential',
      summary: 'Show an application credential',
      tag,
      rule: 'identity:get_application_credential',
      target: credential,
      reply: { 200: ApplicationCredentialEnvelope },
    },
    ({ target, base }) => ({ application_credential: renderApplicationCredential(base, target) }),
  );
  app.delete(
    one,
    {
      id: 'deleteUserApplicationCredential',
      summary: 'Delete an application credential, and with it its tokens',
      tag,
      rule: 'identity:delete_application_credential',
      target: credential,
      reply: { 204: null },
    },
    ({ caller, target }) => applicationCredentials.remove(caller, target),
  );

  app.get(
    '/v3/users/:user_id/access_rules',
    {
      id: 'listUserAccessRules',
      summary: 'List the access rules of a user',
      tag,
      rule: 'identity:list_access_rules',
      target: owner,
      documentation: filterDocumentation(['service', 'path', 'method']),
      reply: { 200: AccessRuleList },
    },
    async (call) =>
      wholeList(call, 'access_rules', await applicationCredentials.listRules(call.target, call.query), renderAccessRule),
  );
  app.get(
    '/v3/users/:user_id/access_rules/:access_rule_id',
    {
      id: 'getUserAccessRule',
      summary: 'Show an access rule',
      tag,
      rule: 'identity:get_access_rule',
      target: rule,
      reply: { 200: AccessRuleEnvelope },
    },
    ({ target, base }) => ({ access_rule: renderAccessRule(base, target) }),
  );
  app.delete(
    '/v3/users/:user_id/access_rules/:access_rule_id',
    {
      id: 'deleteUserAccessRule',
      summary: 'Delete an access rule that no application credential uses',
      tag,
      rule: 'identity:delete_access_rule',
      target: rule,
      reply: { 204: null },
    },
    ({ caller, target }) => applicationCredentials.removeRule(caller, target),
  );
}
