// All kinds of records, in the order of dependence: one needs only those before it.
import type { Static } from '../../../../platform/http/index.ts';
import type { RecordKind } from '../kind.ts';
import { applicationCredential, credential, trust } from './delegations.ts';
import { domain } from './domain.ts';
import { grant } from './grant.ts';
import { group } from './group.ts';
import { membership } from './membership.ts';
import { endpoint, endpointGroup, policy, region, service, serviceProvider } from './nouns.ts';
import { project } from './project.ts';
import { projectEndpoint } from './project-endpoint.ts';
import { revocation } from './revocation.ts';
import { role } from './role.ts';
import { roleImplication } from './role-implication.ts';
import { user } from './user.ts';

const KINDS = {
  domain,
  role,
  role_implication: roleImplication,
  project,
  user,
  group,
  membership,
  grant,
  region,
  service,
  endpoint,
  endpoint_group: endpointGroup,
  project_endpoint: projectEndpoint,
  policy,
  service_provider: serviceProvider,
  credential,
  application_credential: applicationCredential,
  trust,
  revocation,
} as const;

export type ImportKindName = keyof typeof KINDS;

/** What a reader yields. */
export type RecordOf<Name extends ImportKindName> = Static<(typeof KINDS)[Name]['schema']>;

/** The types of their records differ; what is done with them does not. */
export const IMPORT_KINDS = KINDS as unknown as Readonly<Record<ImportKindName, RecordKind>>;
export const IMPORT_ORDER = Object.keys(KINDS) as readonly ImportKindName[];

export const isImportKind = (name: string): name is ImportKindName => Object.hasOwn(KINDS, name);
