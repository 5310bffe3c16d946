// /v3/OS-OAUTH2/registration_tokens and /v3/OS-OAUTH2/registered_applications: for administrators and managers of a domain.
import { domainOfNew, domainTarget, factsOnly, type IdentityApp, listFacts } from '../../access/rules/index.ts';
import { listOf, PAGE_DOCUMENTATION, single } from '../../ground/resource/index.ts';
import type { ClientRegistration } from './client-registration.rules.ts';
import {
  KeepApplication,
  NewRegistrationToken,
  RegisteredApplicationEnvelope,
  RegisteredApplicationList,
  RegistrationTokenEnvelope,
  RegistrationTokenList,
  renderRegistered,
  renderToken,
} from './client-registration.schema.ts';

const tag = 'Self-registration';
const TOKENS = '/v3/OS-OAUTH2/registration_tokens';
const APPLICATIONS = '/v3/OS-OAUTH2/registered_applications';
const FILTERS = {
  query: {
    ...PAGE_DOCUMENTATION.query,
    domain_id: 'Only those of this domain.',
    registered_by: 'Only token, open or document.',
    kept: 'Only those that were kept, or only the others.',
  },
};

interface RegisteredModules {
  readonly clientRegistration: ClientRegistration;
}

function mountTokens(app: IdentityApp, modules: RegisteredModules): void {
  const rule = 'identity:manage_registration_tokens';
  app.get(
    TOKENS,
    {
      id: 'listRegistrationTokens',
      summary: 'List the tokens with which applications can register themselves',
      tag,
      rule,
      target: ({ caller }) => factsOnly(listFacts(caller)),
      documentation: { query: { domain_id: 'Only those of this domain.' } },
      reply: { 200: RegistrationTokenList },
    },
    async ({ caller, query }) => ({
      registration_tokens: (await modules.clientRegistration.tokens.list(caller, single(query, 'domain_id'))).map(renderToken),
    }),
  );
  app.post(
    TOKENS,
    {
      id: 'createRegistrationToken',
      summary: 'Make a token with which applications can register themselves',
      description:
        'Answers with the token, which is shown only here. Applications that register with it are for the people of its domain.',
      tag,
      rule,
      target: ({ caller, body }) => domainTarget(domainOfNew(caller, body.registration_token.domain_id)),
      body: NewRegistrationToken,
      reply: { 201: RegistrationTokenEnvelope },
    },
    async ({ caller, target: domainId, body }) => {
      const { row, token } = await modules.clientRegistration.tokens.create(caller, domainId, body.registration_token);
      return { registration_token: { ...renderToken(row), token } };
    },
  );
  app.delete(
    `${TOKENS}/:registration_token_id`,
    {
      id: 'endRegistrationToken',
      summary: 'End a token with which applications can register themselves',
      description: 'Applications that registered with it stay.',
      tag,
      rule,
      target: ({ params }) => modules.clientRegistration.tokens.target(params.registration_token_id),
      reply: { 204: null },
    },
    ({ caller, target }) => modules.clientRegistration.tokens.end(caller, target),
  );
}

export function mountRegisteredApplications(app: IdentityApp, modules: RegisteredModules): void {
  const rule = 'identity:manage_registered_applications';
  const one = `${APPLICATIONS}/:registered_id` as const;
  const target = ({ params }: { params: { registered_id: string } }) =>
    modules.clientRegistration.registered.target(params.registered_id);
  mountTokens(app, modules);

  app.get(
    APPLICATIONS,
    {
      id: 'listRegisteredApplications',
      summary: 'List the applications that registered themselves, newest first',
      description: 'Managers of a domain see those for its people only.',
      tag,
      rule,
      target: ({ caller }) => factsOnly(listFacts(caller)),
      documentation: FILTERS,
      reply: { 200: RegisteredApplicationList },
    },
    async (call) => {
      const page = await modules.clientRegistration.registered.list(call.caller, call.query);
      return listOf(call, 'registered_applications', { ...page, items: page.items.map(renderRegistered) });
    },
  );
  app.post(
    `${one}/keep`,
    {
      id: 'keepRegisteredApplication',
      summary: 'Keep an application that registered itself',
      description:
        'It does not end any more, and does not change itself any more. A manager of the domain who keeps it manages it from then on.',
      tag,
      rule,
      target,
      body: KeepApplication,
      reply: { 200: RegisteredApplicationEnvelope },
    },
    async ({ caller, target: row, body }) => ({
      registered_application: renderRegistered(
        await modules.clientRegistration.registered.keep(caller, row, body.registered_application),
      ),
    }),
  );
  app.delete(
    one,
    {
      id: 'deleteRegisteredApplication',
      summary: 'Delete an application that registered itself and was not kept',
      description: 'All that people allowed it ends, with its tokens.',
      tag,
      rule,
      target,
      reply: { 204: null },
    },
    ({ caller, target: row }) => modules.clientRegistration.registered.remove(caller, row),
  );
}
