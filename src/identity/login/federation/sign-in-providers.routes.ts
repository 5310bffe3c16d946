// Identity providers as a whole: added in one request, their metadata read, tried, and the people who are linked with them. Extensions of ours.
import type { IdentityApp } from '../../access/rules/index.ts';
import { listOf, PAGE_DOCUMENTATION } from '../../ground/resource/index.ts';
import type { Federation } from './federation.ts';
import {
  AnswerAttempt,
  MappingResultEnvelope,
  ProviderAttemptEnvelope,
  renderAttempt,
  renderResult,
  TriedSignInEnvelope,
  TryMapping,
} from './sign-in-attempts.schema.ts';
import {
  AskMetadata,
  CreateSignInProvider,
  LinkedList,
  MetadataEnvelope,
  renderLinked,
  renderMetadata,
  renderSignInProvider,
  SignInProviderEnvelope,
  SignInProviderList,
} from './sign-in-providers.schema.ts';

const tag = 'Federation';
const ROOT = '/v3/OS-FEDERATION';
const ONE = `${ROOT}/identity_providers/:idp_id` as const;

interface Modules {
  readonly federation: Federation;
}

export function mountSignInProviders(app: IdentityApp, modules: Modules): void {
  mountWhole(app, modules);
  mountPeople(app, modules);
  mountTrials(app, modules);
}

function mountWhole(app: IdentityApp, { federation }: Modules): void {
  app.get(
    `${ROOT}/sign_in_providers`,
    {
      id: 'listSignInProviders',
      summary: 'List identity providers with what people see of them',
      tag,
      rule: 'identity:list_identity_providers',
      documentation: PAGE_DOCUMENTATION,
      reply: { 200: SignInProviderList },
    },
    async (call) =>
      listOf(call, 'sign_in_providers', await federation.signInProviders.list(call.query), (base, row) =>
        renderSignInProvider(base, federation.issuer(), row),
      ),
  );
  app.post(
    `${ROOT}/sign_in_providers`,
    {
      id: 'addSignInProvider',
      summary: 'Add an identity provider with its mapping and settings',
      description:
        'The identity provider, a mapping of the same id, and the protocol `openid`, `openid4vp` or both with their settings, all of it or nothing. The answer has the redirect address to register at the provider.',
      tag,
      rule: 'identity:create_identity_provider',
      body: CreateSignInProvider,
      reply: { 201: SignInProviderEnvelope },
    },
    async ({ caller, body, base }) => ({
      sign_in_provider: renderSignInProvider(
        base,
        federation.issuer(),
        await federation.signInProviders.add(caller, body.sign_in_provider),
      ),
    }),
  );
  app.post(
    `${ROOT}/provider_metadata`,
    {
      id: 'readProviderMetadata',
      summary: 'Read the metadata of an OpenID provider',
      description: 'For a provider that is about to be added: the service asks it, as at a sign-in. Nothing is stored.',
      tag,
      rule: 'identity:create_identity_provider',
      body: AskMetadata,
      reply: { 200: MetadataEnvelope },
    },
    async ({ body }) => ({ metadata: renderMetadata(await federation.metadataOf(body.metadata)) }),
  );
}

function mountPeople(app: IdentityApp, { federation }: Modules): void {
  const target = ({ params }: { params: { idp_id: string } }) => federation.identityProviders.target(params.idp_id);
  app.get(
    `${ONE}/provider_links`,
    {
      id: 'listPeopleOfIdentityProvider',
      summary: 'List the people who are linked with an identity provider',
      tag,
      rule: 'identity:update_identity_provider',
      target,
      documentation: PAGE_DOCUMENTATION,
      reply: { 200: LinkedList },
    },
    async (call) =>
      listOf(call, 'provider_links', await federation.signInProviders.people(call.target, call.query), renderLinked),
  );
  app.delete(
    `${ONE}/provider_links/:link_id`,
    {
      id: 'unlinkPersonOfIdentityProvider',
      summary: 'Unlink a person from an identity provider',
      description:
        'Ends the sessions that began through it, and takes back what its mapping gave. The account stays. If it was the only way in, the person needs a password or another way.',
      tag,
      rule: 'identity:update_identity_provider',
      target,
      reply: { 204: null },
    },
    ({ caller, target: row, params }) => federation.signInProviders.unlink(caller, row, params.link_id),
  );
  app.delete(
    `${ONE}/sessions`,
    {
      id: 'endSessionsOfIdentityProvider',
      summary: 'End all sessions that began through an identity provider',
      description: 'With their tokens. People sign in again.',
      tag,
      rule: 'identity:update_identity_provider',
      target,
      reply: { 204: null },
    },
    ({ caller, target: row }) => federation.signInProviders.endSessions(caller, row),
  );
}

function mountTrials(app: IdentityApp, { federation }: Modules): void {
  const target = ({ params }: { params: { idp_id: string } }) => federation.identityProviders.target(params.idp_id);
  app.post(
    `${ONE}/mapping_trials`,
    {
      id: 'tryMapping',
      summary: 'Show what a mapping makes of claims',
      description:
        'Who the person would be here, their groups and roles, and why some are not given. With the mapping of the provider, or with the rules of the request. Nothing is written.',
      tag,
      rule: 'identity:update_identity_provider',
      target,
      body: TryMapping,
      reply: { 200: MappingResultEnvelope },
    },
    async ({ target: row, body }) => ({ result: renderResult(await federation.tryMapping(row.id, body.trial)) }),
  );
  app.post(
    `${ONE}/sign_in_attempts`,
    {
      id: 'beginProviderAttempt',
      summary: 'Begin to try the sign-in at an identity provider',
      description:
        'The caller signs in there at the address of the answer within five minutes. The provider returns to the redirect address, and this leads to a page of the console. Nobody is signed in here by it.',
      tag,
      rule: 'identity:update_identity_provider',
      target,
      reply: { 201: ProviderAttemptEnvelope },
    },
    async ({ caller, target: row }) => renderAttempt(await federation.attempts.begin(caller, row)),
  );
  app.post(
    `${ONE}/sign_in_attempts/:attempt_id/answer`,
    {
      id: 'finishProviderAttempt',
      summary: 'Show the claims of a sign-in that was tried',
      description:
        'By the person who began it, once. The service exchanges the code, and answers with the claims and what the mapping makes of them. Neither claims nor tokens are kept.',
      tag,
      rule: 'identity:update_identity_provider',
      target,
      body: AnswerAttempt,
      reply: { 200: TriedSignInEnvelope },
    },
    async ({ caller, target: row, params, body }) => {
      const { claims, result } = await federation.attempts.finish(caller, row, params.attempt_id, body.answer.query);
      return { attempt: { claims, result: renderResult(result) } };
    },
  );
}
