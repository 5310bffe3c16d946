// What leaves a module of the identity service are verbs that keep its rules, not functions over its tables. Those that leave a store all
// the same are here, each with its reason. The list gets shorter: an entry that nothing needs any more is a fault, too.
import type { SourceFile } from './code-rules.ts';

const ROW = 'finds a row; there is no rule to keep';
const NAMES = 'names for lists of other modules';
const SQL_PART = 'a part of statements of other stores';
const NO_SERVICE = 'for commands that read the database without a service';
const NOUN = 'rows of any noun, for rules that a definition cannot say';

export const STORE_EXPORTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'ground/audit': { columnsOf: 'logins are recorded without a change' },
  'ground/resource': { readNamedPage: SQL_PART, endedAt: SQL_PART },
  'access/context': {
    findProject: ROW,
    findUserWithDomain: ROW,
    ancestorsOf: 'the tree of projects, which access reads before there is a module of projects',
    membershipsOf: 'with their ends; heldGroups says which count',
  },
  'access/noun': { findRow: NOUN, insertRow: NOUN, deleteRow: NOUN },
  'directory/users': { findUser: ROW },
  'directory/groups': { findGroup: ROW, memberIds: 'a directory compares them with its own' },
  'directory/projects': {
    findByName: ROW,
    descendants: 'the tree of projects, for effective assignments',
    listProjects: 'lists of projects by a condition of grants',
    readProjectsWithTags: 'the projects of an endpoint, as the API shows projects',
  },
  'directory/roles': { findRole: ROW, findRoleByName: ROW },
  'directory/grants': {
    namesOf: NAMES,
    reachableProjects: SQL_PART,
    directGrantsOf: 'a provider compares them with those it lends',
  },
  'catalog/endpoint-filter': { projectEndpointIds: 'for the catalog in tokens' },
  'catalog/limits': { rememberDeletedLimits: 'before services or regions are deleted, by whom they are' },
  'applications/consumers': { findConsumer: ROW, namesOfConsumers: NAMES },
  'applications/app-roles': {
    heldAssignments: SQL_PART,
    permissionsOfRoles: 'why somebody has a permission',
    readGrantedEntries: 'provisioning compares them with what a client sends',
  },
  'provisioning/scim': { listConnections: NO_SERVICE },
  'role-credentials/issued': { issuingLock: 'a test holds it' },
  'operations/administration': { publishedKeyIds: NO_SERVICE, readKeyAges: NO_SERVICE },
  'operations/replicas': { readReplicas: NO_SERVICE },
  'operations/audit-events': { readEvents: 'the page of the account shows its own events' },
};

const EXPORTED = /^export \{([^}]*)\} from '\.\/[^']*\.store\.ts'/gm;

/** Types may leave: they write nothing. */
const valuesIn = (text: string): string[] =>
  [...text.matchAll(EXPORTED)].flatMap(([, names]) =>
    names!
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type ')),
  );

export function storeExportFaults(files: readonly SourceFile[], reasons = STORE_EXPORTS): string[] {
  const faults: string[] = [];
  for (const { path, text } of files) {
    const [, module] = /^src\/identity\/(.+)\/index\.ts$/.exec(path) ?? [];
    if (module === undefined) continue;
    const exported = valuesIn(text);
    const known = Object.keys(reasons[module] ?? {});
    for (const name of exported.filter((one) => !known.includes(one)))
      faults.push(`${path}: ${name} leaves its store; export a verb that keeps the rule, or say why in scripts/store-exports.ts`);
    for (const name of known.filter((one) => !exported.includes(one)))
      faults.push(`${path}: ${name} does not leave its store any more; remove it from scripts/store-exports.ts`);
  }
  return faults;
}
