// Wire format of projects (organizations) and domains. A domain is a project with `is_domain`.
import { t } from '../../../platform/http/index.ts';
import type { ProjectRow } from '../../ground/database/index.ts';
import { Extra, Links, ListLinks, parseJson } from '../../ground/resource/index.ts';

const Id = t.string({ minLength: 1, maxLength: 64 });
/** Keystone's limit for names of projects and domains. */
const Name = t.string({ minLength: 1, maxLength: 64, pattern: '\\S' });
const Options = t.object({}, { immutable: t.nullable(t.boolean()) });

export const Tag = t.string({ minLength: 1, maxLength: 255, pattern: '^[^,/]*$' });
export const Tags = t.array(Tag, { maxItems: 80, uniqueItems: true });

export const projectFields = [
  'name',
  'domain_id',
  'parent_id',
  'is_domain',
  'enabled',
  'description',
  'tags',
  'options',
  'parents',
  'subtree',
  'explicit_domain_id',
];

const projectOptional = {
  domain_id: t.nullable(Id),
  parent_id: t.nullable(Id),
  is_domain: t.boolean(),
  enabled: t.boolean(),
  description: t.nullable(t.string()),
  tags: Tags,
  options: Options,
};

const NewProject = t.open({ name: Name }, projectOptional);
export const CreateProject = t.envelope('project', NewProject);
const ProjectChanges = t.changes(t.open({}, { name: Name, ...projectOptional }));
export const UpdateProject = t.envelope('project', ProjectChanges);

const domainOptional = { enabled: t.boolean(), description: t.nullable(t.string()), tags: Tags, options: Options };
/** Services that share domains need them to have the same ids. */
const ExplicitId = t.string({ pattern: '^[0-9a-f]{32}$' });
const NewDomain = t.open({ name: Name }, { ...domainOptional, explicit_domain_id: ExplicitId });
export const CreateDomain = t.envelope('domain', NewDomain);
const DomainChanges = t.changes(t.open({}, { name: Name, ...domainOptional }));
export const UpdateDomain = t.envelope('domain', DomainChanges);

const shared = {
  id: t.string(),
  name: t.string(),
  enabled: t.boolean(),
  description: t.string(),
  tags: t.array(t.string()),
  options: t.record(t.unknown()),
  links: Links,
};

export const Project = t.open(
  {
    ...shared,
    domain_id: t.nullable(t.string()),
    parent_id: t.nullable(t.string()),
    is_domain: t.boolean(),
  },
  { extra: Extra },
);
export const Domain = t.open(shared, { extra: Extra });
export const ProjectEnvelope = t.envelope('project', Project);
export const ProjectList = t.object({ links: ListLinks, projects: t.array(Project) });
export const DomainEnvelope = t.envelope('domain', Domain);
export const DomainList = t.object({ links: ListLinks, domains: t.array(Domain) });
export const TagList = t.object({ tags: t.array(t.string()), links: Links });
export const UpdateTags = t.open({ tags: Tags });

export type ProjectWithTags = ProjectRow & { tags: readonly string[] };

export function renderProject(base: string, row: ProjectWithTags) {
  return {
    ...parseJson(row.extra),
    id: row.id,
    name: row.name,
    domain_id: row.domain_id,
    parent_id: row.parent_id,
    is_domain: row.is_domain === 1,
    enabled: row.enabled === 1,
    description: row.description,
    tags: row.tags,
    options: parseJson(row.options),
    links: { self: `${base}/v3/projects/${row.id}` },
  };
}

export function renderDomain(base: string, row: ProjectWithTags) {
  const { domain_id: _domain, parent_id: _parent, is_domain: _isDomain, ...domain } = renderProject(base, row);
  return { ...domain, links: { self: `${base}/v3/domains/${row.id}` } };
}

t.name({
  ResourceOptions: Options,
  NewProject,
  CreateProject,
  ProjectChanges,
  UpdateProject,
  NewDomain,
  CreateDomain,
  DomainChanges,
  UpdateDomain,
  Project,
  Domain,
  ProjectEnvelope,
  ProjectList,
  DomainEnvelope,
  DomainList,
  TagList,
  UpdateTags: UpdateTags,
});
