// Trying a provider and its mapping, on the wire.
import { isoTime } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import type { TrialResult } from './mapping-trials.rules.ts';
import { mappingRules, mappingVersion } from './mappings.schema.ts';

const Claims = t.open({}, {}, { description: 'As the provider says them, such as `sub`, `email` and `groups`.' });
const NewMappingTrial = t.object({ claims: Claims }, { rules: mappingRules, ...mappingVersion });
export const TryMapping = t.envelope('trial', NewMappingTrial);

/** Null: it is given. */
const Why = t.nullable(t.oneOf('not_found', 'other_domain', 'in_directory', 'manages_others'));
const MappingResult = t.object(
  {
    refusal: t.nullable(t.object({ code: t.string(), why: t.string() })),
    user: t.nullable(
      t.object({
        kind: t.oneOf('linked', 'address', 'new', 'choice', 'proof'),
        id: t.nullable(t.string()),
        name: t.nullable(t.string()),
        email: t.nullable(t.string()),
        domain_id: t.string(),
      }),
    ),
    groups: t.array(t.object({ id: t.nullable(t.string()), name: t.string(), why: Why })),
    roles: t.array(t.object({ project: t.string(), role: t.string(), why: Why })),
  },
  {},
  {
    description:
      'The person is linked with an account (`linked`), a trusted address leads into one (`address`), a new one is made (`new`), they are asked whether they have one (`choice`), or have to sign in to one that exists (`proof`). Groups and roles with `why` are not given.',
  },
);
export const MappingResultEnvelope = t.envelope('result', MappingResult);

export const renderResult = ({ groups, roles, ...result }: TrialResult) => ({
  ...result,
  groups: groups.map(({ id, name, why }) => ({ id, name, why })),
  roles: roles.map(({ project, role, why }) => ({ project, role, why })),
});

const ProviderAttempt = t.object({
  id: t.string(),
  url: t.string({ description: 'Where the person who began the attempt signs in at the provider.' }),
  expires_at: t.string(),
});
export const ProviderAttemptEnvelope = t.envelope('attempt', ProviderAttempt);
export const renderAttempt = ({ id, url, expiresAt }: { id: string; url: string; expiresAt: number }) => ({
  attempt: { id, url, expires_at: isoTime(expiresAt * 1000) },
});

const ProviderAnswer = t.object({
  query: t.string({
    maxLength: 16_384,
    description:
      'The query of the page of the console to which the browser was led: with `state`, `provider`, and `code` or `error`.',
  }),
});
export const AnswerAttempt = t.envelope('answer', ProviderAnswer);
const TriedSignIn = t.object({ claims: Claims, result: MappingResult });
export const TriedSignInEnvelope = t.envelope('attempt', TriedSignIn);

t.name({
  NewMappingTrial,
  TryMapping,
  MappingResult,
  MappingResultEnvelope,
  ProviderAttempt,
  ProviderAttemptEnvelope,
  ProviderAnswer,
  AnswerAttempt,
  TriedSignIn,
  TriedSignInEnvelope,
});
