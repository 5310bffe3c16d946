// Applies a mapping to an assertion. As in Keystone, all rules that apply are used: the first user counts, groups add up, and the last list of
// projects counts.
import { fillDomain } from './domains.ts';
import { Groups } from './groups.ts';
import {
  type Assertion,
  type DomainReference,
  type MappedIdentity,
  type MappedProject,
  type MappedUser,
  type MappingRefusal,
  RefusalError,
} from './identity.ts';
import { MAX_PROJECT_ROLES, MAX_STEPS, STEPS_PER_JSON_CHARACTER } from './limits.ts';
import type { DomainTemplate, LocalEntry, Mapping, ProjectTemplate, UserTemplate } from './mapping.ts';
import { readProjects } from './projects.ts';
import { parseJson, Reader } from './reader.ts';
import { Budget, BudgetError, type Steps } from './regex/index.ts';
import { attributeValues, directMaps } from './requirements.ts';
import { type DirectMaps, fill, type Template } from './template.ts';

/** A local entry of a rule that applies, with the values of the rule. */
interface Entry {
  readonly local: LocalEntry;
  readonly maps: DirectMaps;
}

export function applyMapping(mapping: Mapping, assertion: Assertion): MappedIdentity | MappingRefusal {
  const steps = new Budget(MAX_STEPS);
  try {
    return identityOf(mapping, entriesOf(mapping, assertion, steps), steps);
  } catch (error) {
    if (error instanceof RefusalError) return { refusal: { code: error.code, why: error.message } };
    if (error instanceof BudgetError)
      return { refusal: { code: 'too_costly', why: 'the mapping has too much to do with these attributes' } };
    throw error;
  }
}

function entriesOf(mapping: Mapping, assertion: Assertion, steps: Steps): Entry[] {
  const values = attributeValues(mapping, assertion);
  const entries = mapping.rules.flatMap(({ requirements, local }) => {
    const maps = directMaps(requirements, values, steps);
    return maps ? local.map((entry) => ({ local: entry, maps })) : [];
  });
  if (entries.length === 0) throw new RefusalError('no_rule_applies', 'no rule of the mapping applies to the assertion');
  return entries;
}

function identityOf(mapping: Mapping, entries: readonly Entry[], steps: Steps): MappedIdentity {
  const groups = new Groups(steps);
  let projects: readonly MappedProject[] = [];
  const defaults = mapping.version !== '1.0';
  for (const { local, maps } of entries) {
    groups.add(local, maps);
    if (local.projects || local.projectsJson !== undefined) projects = projectsOf(local, maps, defaults, steps);
  }
  if (projects.reduce((sum, { roles }) => sum + 1 + roles.length, 0) > MAX_PROJECT_ROLES)
    throw new RefusalError('too_large', `there are more than ${MAX_PROJECT_ROLES} projects and roles`);
  const last = entries.at(-1)!;
  return {
    user: userOf(entries, defaults ? last : undefined),
    groups: groups.references(),
    groupIds: groups.ids(),
    projects,
  };
}

/** The first user that is not empty. A user without a domain gets that of `withDomain`: in Keystone this is the last entry, even of another rule. */
function userOf(entries: readonly Entry[], withDomain: Entry | undefined): MappedUser {
  const entry = entries.find(({ local: { user } }) => user && Object.keys(user).length > 0);
  const own: UserTemplate = entry?.local.user ?? {};
  const place = entry ? `${entry.local.place}.user` : '';
  const maps = entry?.maps ?? [];
  const part = (key: 'id' | 'name' | 'email'): { readonly [key]?: string } => {
    const template = own[key];
    return template ? { [key]: filledOrRefused(template, maps, `${place}.${key}`) } : {};
  };
  const domain = own.domain
    ? domainOrRefused(own.domain, maps, `${place}.domain`)
    : withDomain?.local.domain && domainOrRefused(withDomain.local.domain, withDomain.maps, `${withDomain.local.place}.domain`);
  return { ...part('id'), ...part('name'), ...part('email'), ...(domain && { domain }), type: own.type ?? 'ephemeral' };
}

function noValue(place: string): never {
  throw new RefusalError('no_value', `${place}: the whitelist or blacklist of the rule left no value for it`);
}

const filledOrRefused = (template: Template, maps: DirectMaps, place: string): string => fill(template, maps) ?? noValue(place);

const domainOrRefused = (domain: DomainTemplate, maps: DirectMaps, place: string): DomainReference =>
  fillDomain(domain, maps) ?? noValue(place);

/** Without those that have a placeholder without a value. */
function projectsOf(local: LocalEntry, maps: DirectMaps, defaults: boolean, steps: Steps): MappedProject[] {
  const fallback = defaults ? local.domain : undefined;
  const written = (local.projects ?? []).flatMap((project) => fillProject(project, maps, fallback) ?? []);
  if (local.projectsJson === undefined) return written;
  const domain = fallback && fillDomain(fallback, maps);
  const asserted = assertedProjects(maps[local.projectsJson]!, `${local.place}.projects_json`, steps).flatMap((project) => {
    if (project.domain || !fallback) return project;
    return domain ? { ...project, domain } : [];
  });
  return [...written, ...asserted];
}

function fillProject(
  project: ProjectTemplate,
  maps: DirectMaps,
  fallback: DomainTemplate | undefined,
): MappedProject | undefined {
  const name = fill(project.name, maps);
  const domain = project.domain ?? fallback;
  const filledDomain = domain && fillDomain(domain, maps);
  const roles = project.roles.flatMap((role) => fill(role.name, maps) ?? []).map((role) => ({ name: role }));
  if (name === undefined || (domain && !filledDomain)) return undefined;
  return { name, ...(filledDomain && { domain: filledDomain }), roles };
}

/** Reads projects from JSON. There are none if there is no value. */
function assertedProjects(values: readonly string[], place: string, steps: Steps): MappedProject[] {
  if (values.length === 0) return [];
  steps.spend(values[0]!.length * STEPS_PER_JSON_CHARACTER);
  const reader = new Reader();
  const json = values.length === 1 ? parseJson(values[0]!) : undefined;
  const projects = readProjects(reader, json, place, { mayNameDomain: true, readText: (value, at) => reader.text(value, at) });
  const [first] = reader.problems;
  if (first) throw new RefusalError('invalid_projects', `${place}: the projects in the assertion cannot be read: ${first.why}`);
  return projects;
}
