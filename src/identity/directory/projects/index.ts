// Projects (called organizations in the extension APIs), their domains, and their tags.
import type { RowPage } from '../../../platform/database/index.ts';
import type { ProjectWithTags } from './projects.schema.ts';

export { deleteIfAbandoned } from './abandoned.ts';
export { mountDomains } from './domains.routes.ts';
export { createDomains, type Domains } from './domains.rules.ts';
export { mountProjects, mountTags } from './projects.routes.ts';
export { createProjects, type Projects, projectFacts } from './projects.rules.ts';
export { DomainList, ProjectList, renderDomain, renderProject } from './projects.schema.ts';
export { descendants, findByName, listProjects, readProjectsWithTags } from './projects.store.ts';
export { endProjectTokensBefore, insertProjectRow, updateProjectRow } from './rows.ts';
export type ProjectPage = RowPage<ProjectWithTags>;
export { createTags } from './tags.rules.ts';
