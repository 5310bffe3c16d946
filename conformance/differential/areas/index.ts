// All areas in the order in which they are sent: later ones use what earlier ones made.
import type { Area } from '../request.ts';
import { endpointFilter, endpointPolicy, endpoints, policies, regions, services } from './catalog.ts';
import { domainConfiguration } from './configuration.ts';
import { applicationCredentials, credentials, trusts } from './delegation.ts';
import { discovery } from './discovery.ts';
import { federation } from './federation.ts';
import { limits } from './limits.ts';
import { domains, projects, tags } from './organizations.ts';
import { groups, users } from './people.ts';
import { personas } from './personas.ts';
import { grants, inference, roleAssignments, roles, systemGrants } from './roles.ts';
import { setup } from './setup.ts';
import { ec2Credentials, oauth1 } from './signatures.ts';
import { tokens } from './tokens.ts';

export const AREAS: readonly Area[] = [
  setup,
  discovery,
  personas,
  tokens,
  domains,
  projects,
  tags,
  users,
  groups,
  roles,
  inference,
  grants,
  systemGrants,
  roleAssignments,
  regions,
  services,
  endpoints,
  policies,
  endpointPolicy,
  endpointFilter,
  limits,
  credentials,
  applicationCredentials,
  trusts,
  ec2Credentials,
  oauth1,
  federation,
  domainConfiguration,
];
