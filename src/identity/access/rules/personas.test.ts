// The rules that say who somebody is. Which route asks which of them is tested with the routes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AuthMethod, DelegationKind, Scope } from '../context/index.ts';
import type { Caller } from './caller.ts';
import {
  admin,
  adminOfAll,
  adminOrApplicationManager,
  adminOrAssigns,
  adminOrManager,
  adminOrManagesRoles,
  adminOrThemselves,
  type Condition,
  createsApplicationCredential,
  type Facts,
  grantsRole,
  hasRole,
  inPerson,
  inScope,
  isDomainAdministrator,
  listedByApplication,
  listedByManaged,
  listsGrantableRoles,
  managerOfAll,
  mayConsent,
  maySeeRolesIn,
  notOfDomain,
  ofProject,
  ownAssignments,
  ownDomain,
  ownPermissions,
  ownProject,
  ownTokens,
  projectAdmin,
  readerOfAll,
  readers,
  readsApplicationCredential,
  readsGrantableRole,
  readsTrust,
  roleOfOwnDomain,
  seesAssignments,
  self,
  systemReader,
  systemReaderOfCredentials,
  withinDomain,
} from './personas.ts';

interface Who {
  readonly roles?: readonly string[];
  readonly scope?: Scope;
  /** Of the project that it is for. */
  readonly domainId?: string;
  readonly enforcesScope?: boolean;
  readonly methods?: readonly AuthMethod[];
  readonly applicationId?: string;
  readonly delegation?: DelegationKind;
  readonly isUnrestricted?: boolean;
}

function caller({
  roles = [],
  scope = { kind: 'unscoped' },
  domainId = 'ours',
  enforcesScope = false,
  isUnrestricted = false,
  ...token
}: Who): Caller {
  const delegation = token.delegation && { kind: token.delegation, id: 'delegation' };
  const domain = { id: scope.kind === 'domain' ? scope.id : domainId, name: 'domain' };
  return {
    userId: 'ann',
    token: { methods: ['password'], auditId: 'own', ...token, delegation },
    authContext: {
      roleNames: new Set(roles),
      scope,
      enforcesScope,
      ...(delegation ? { delegation: { ...delegation, isUnrestricted } } : {}),
      ...(scope.kind === 'domain' ? { domain } : {}),
      ...(scope.kind === 'project' ? { project: { id: scope.id, name: 'project', domain, isDomain: false } } : {}),
    },
  } as unknown as Caller;
}

const SYSTEM: Scope = { kind: 'system' };
const OURS: Scope = { kind: 'domain', id: 'ours' };
const PROJECT: Scope = { kind: 'project', id: 'project' };
const APPLICATION: Who = { methods: ['oauth2'], applicationId: 'shop' };

type Case = readonly [who: Who, facts?: Facts];
interface Row {
  readonly asks: Condition;
  readonly yes: readonly Case[];
  readonly no: readonly Case[];
}
const RULES: Readonly<Record<string, Row>> = {
  'the role of a caller': {
    asks: (who) => hasRole(who, 'admin'),
    yes: [[{ roles: ['admin'] }]],
    no: [[{ roles: ['member'] }], [{ ...APPLICATION, roles: ['admin'] }]],
  },
  'an administrator': {
    asks: admin,
    yes: [[{ roles: ['admin'], scope: PROJECT }], [{ roles: ['admin'], scope: SYSTEM, enforcesScope: true }]],
    no: [
      [{ roles: ['member'], scope: SYSTEM, enforcesScope: true }],
      [{ roles: ['admin'], scope: PROJECT, enforcesScope: true }],
      [{ roles: ['admin'], scope: OURS, enforcesScope: true }],
    ],
  },
  'a token for a project, where the scope is enforced': {
    asks: ofProject,
    yes: [[{ scope: PROJECT, enforcesScope: true }], [{ enforcesScope: true }], [{ scope: OURS }]],
    no: [[{ scope: OURS, enforcesScope: true }], [{ scope: SYSTEM, enforcesScope: true }]],
  },
  'a token for no domain, where the scope is enforced': {
    asks: notOfDomain,
    yes: [[{ scope: PROJECT, enforcesScope: true }], [{ scope: SYSTEM, enforcesScope: true }]],
    no: [[{ scope: OURS, enforcesScope: true }]],
  },
  'a reader of the system': {
    asks: systemReader,
    yes: [[{ roles: ['reader'], scope: SYSTEM }]],
    no: [[{ roles: ['service'], scope: SYSTEM }], [{ roles: ['reader'], scope: PROJECT }], [{ roles: ['reader'], scope: OURS }]],
  },
  'a reader of the domain': {
    asks: readers,
    yes: [[{ roles: ['reader'], scope: OURS }, { domainId: 'ours' }]],
    no: [
      [{ roles: ['service'], scope: OURS }, { domainId: 'ours' }],
      [{ roles: ['reader'], scope: OURS }, { domainId: 'theirs' }],
      [{ roles: ['reader'], scope: PROJECT }, { domainId: 'ours' }],
      [{ roles: ['reader'], scope: PROJECT }, {}],
      [{ roles: ['reader'] }, { domainId: null }],
    ],
  },
  'a manager of the domain': {
    asks: adminOrManager,
    yes: [[{ roles: ['manager'], scope: OURS }, { domainId: 'ours' }]],
    no: [
      [{ roles: ['reader'], scope: OURS }, { domainId: 'ours' }],
      [{ roles: ['manager'], scope: OURS }, { domainId: 'theirs' }],
      [{ roles: ['admin'], scope: OURS, enforcesScope: true }, { domainId: 'theirs' }],
    ],
  },
  'an administrator of a domain': {
    asks: isDomainAdministrator,
    yes: [[{ roles: ['admin'], scope: OURS, enforcesScope: true }]],
    no: [
      [{ roles: ['admin'], scope: OURS }],
      [{ roles: ['manager'], scope: OURS, enforcesScope: true }],
      [{ roles: ['admin'], scope: SYSTEM, enforcesScope: true }],
    ],
  },
  'the user concerned': {
    asks: self,
    yes: [[{}, { userId: 'ann' }]],
    no: [
      [{}, { userId: 'bob' }],
      [{}, {}],
    ],
  },
  'the user of the token': {
    asks: ownTokens,
    yes: [
      [{}, { userId: 'ann' }],
      [APPLICATION, { userId: 'ann', tokenId: 'own' }],
      [APPLICATION, { userId: 'ann', tokenId: 'other', applicationId: 'shop' }],
    ],
    no: [
      [{}, { userId: 'bob' }],
      [APPLICATION, { userId: 'ann', tokenId: 'other' }],
      [APPLICATION, { userId: 'ann', tokenId: 'other', applicationId: 'bank' }],
      [{ methods: ['oauth2'] }, { userId: 'ann', tokenId: 'other' }],
      [APPLICATION, { userId: 'bob', tokenId: 'own' }],
    ],
  },
  'the user in person': {
    asks: inPerson,
    yes: [
      [{}, { userId: 'ann' }],
      [{ delegation: 'federation' }, { userId: 'ann' }],
    ],
    no: [
      [{}, { userId: 'bob' }],
      [APPLICATION, { userId: 'ann' }],
      [{ delegation: 'trust' }, { userId: 'ann' }],
      [{ delegation: 'application_credential' }, { userId: 'ann' }],
    ],
  },
  'a token for the project': {
    asks: ownProject,
    yes: [[{ scope: PROJECT }, { projectId: 'project' }]],
    no: [
      [{ scope: PROJECT }, { projectId: 'other' }],
      [{ scope: SYSTEM }, {}],
      [{ scope: PROJECT }, {}],
    ],
  },
  'a token for the domain, or for a project in it': {
    asks: ownDomain,
    yes: [
      [{ scope: OURS }, { domainId: 'ours' }],
      [{ scope: PROJECT }, { domainId: 'ours' }],
    ],
    no: [
      [{ scope: OURS }, { domainId: 'theirs' }],
      [{ scope: PROJECT }, { domainId: 'theirs' }],
      [{ scope: SYSTEM }, {}],
      [{ scope: SYSTEM }, { domainId: null }],
    ],
  },
  'a token for the project, or for the domain around it': {
    asks: inScope,
    yes: [
      [{ scope: PROJECT }, { projectId: 'project', domainId: 'theirs' }],
      [{ scope: OURS }, { projectId: 'project', domainId: 'ours' }],
    ],
    no: [
      [{ scope: PROJECT }, { projectId: 'other', domainId: 'ours' }],
      [{ scope: OURS }, { projectId: 'project', domainId: 'theirs' }],
      [{ scope: SYSTEM }, { domainId: null }],
      [{ scope: SYSTEM }, {}],
    ],
  },
  'a reader of all domains that are named': {
    asks: readerOfAll,
    yes: [[{ roles: ['reader'], scope: OURS }, { domains: ['ours', 'ours'] }]],
    no: [
      [{ roles: ['service'], scope: OURS }, { domains: ['ours'] }],
      [{ roles: ['reader'], scope: OURS }, { domains: ['ours', 'theirs'] }],
      [{ roles: ['reader'], scope: OURS }, { domains: [] }],
      [{ roles: ['reader'], scope: OURS }, {}],
      [{ roles: ['reader'], scope: PROJECT }, { domains: ['ours'] }],
    ],
  },
  'a manager of all domains that are named': {
    asks: managerOfAll,
    yes: [
      [{ roles: ['manager'], scope: OURS }, { domains: ['ours'] }],
      [{ roles: ['admin'], scope: OURS }, { domains: ['ours'] }],
    ],
    no: [[{ roles: ['reader'], scope: OURS }, { domains: ['ours'] }]],
  },
  'an administrator of all domains that are named': {
    asks: adminOfAll,
    yes: [[{ roles: ['admin'], scope: OURS }, { domains: ['ours'] }]],
    no: [[{ roles: ['manager'], scope: OURS }, { domains: ['ours'] }]],
  },
  'a manager who grants a role': {
    asks: grantsRole,
    yes: [
      [
        { roles: ['manager'], scope: OURS },
        { domains: ['ours'], roleName: 'member', givesRoles: ['member', 'reader'] },
      ],
    ],
    no: [
      [
        { roles: ['manager'], scope: OURS },
        { domains: ['ours'], roleName: 'admin', givesRoles: ['admin'] },
      ],
      [
        { roles: ['manager'], scope: OURS },
        { domains: ['ours'], roleName: 'member', givesRoles: ['member', 'service'] },
      ],
      [
        { roles: ['manager'], scope: OURS },
        { domains: ['ours'], roleName: 'member', givesRoles: ['admin'] },
      ],
      [
        { roles: ['manager'], scope: OURS },
        { domains: ['ours'], givesRoles: [] },
      ],
      [
        { roles: ['reader'], scope: OURS },
        { domains: ['ours'], roleName: 'member', givesRoles: ['member'] },
      ],
    ],
  },
  'the roles of somebody in an application': {
    asks: (who) => maySeeRolesIn(who, 'shop'),
    yes: [[{}], [APPLICATION]],
    no: [[{ ...APPLICATION, applicationId: 'bank' }], [{ methods: ['oauth2'] }]],
  },
  'the own permissions in an application': {
    asks: ownPermissions,
    yes: [
      [{}, { userId: 'ann', applicationId: 'shop' }],
      [APPLICATION, { userId: 'ann', applicationId: 'shop' }],
    ],
    no: [
      [{}, { userId: 'bob', applicationId: 'shop' }],
      [{}, { userId: 'ann' }],
      [APPLICATION, { userId: 'ann', applicationId: 'bank' }],
    ],
  },
  'an administrator of the project': {
    asks: projectAdmin,
    yes: [[{ roles: ['admin'], scope: PROJECT }, { projectId: 'project' }]],
    no: [
      [{ roles: ['member'], scope: PROJECT }, { projectId: 'project' }],
      [{ roles: ['admin'], scope: PROJECT }, { projectId: 'other' }],
    ],
  },
  'a manager who looks at roles': {
    asks: readsGrantableRole,
    yes: [[{ roles: ['manager'] }, { roleDomainId: null, roleName: 'member' }]],
    no: [
      [{ roles: ['reader'] }, { roleDomainId: null, roleName: 'member' }],
      [{ roles: ['manager'] }, { roleDomainId: 'ours', roleName: 'member' }],
    ],
  },
  'a manager who lists roles': {
    asks: listsGrantableRoles,
    yes: [[{ roles: ['manager'], scope: OURS }, { roleDomainId: null }]],
    no: [[{ roles: ['manager'], scope: PROJECT }, { roleDomainId: null }]],
  },
  'a role of the own domain, or of all': {
    asks: roleOfOwnDomain,
    yes: [
      [{ scope: OURS }, { roleDomainId: null }],
      [{ scope: OURS }, { roleDomainId: 'ours' }],
    ],
    no: [[{ scope: OURS }, { roleDomainId: 'theirs' }]],
  },
  'a role that has no effect elsewhere': {
    asks: withinDomain,
    yes: [[{}, { givesRoles: ['member'] }]],
    no: [
      [{}, {}],
      [{}, { givesRoles: ['member', 'service'] }],
    ],
  },
  ...Object.fromEntries(
    (
      [
        ['managesApplication', adminOrApplicationManager],
        ['managesRoles', adminOrManagesRoles],
        ['seesAssignments', seesAssignments],
        ['managesRoles', listedByApplication],
        ['managesApplication', listedByManaged],
      ] as const
    ).map(([fact, asks], at): [string, Row] => [
      `who by an own right ${fact} (${at})`,
      {
        asks,
        yes: [[{}, { [fact]: true }]],
        no: [
          [{}, { [fact]: false }],
          [APPLICATION, { [fact]: true }],
          [{ delegation: 'trust' }, { [fact]: true }],
        ],
      },
    ]),
  ),
  'who lists what they manage': { asks: listedByManaged, yes: [[APPLICATION, { onlyManaged: true }]], no: [[{}, {}]] },
  'who lists what they manage in applications': { asks: listedByApplication, yes: [[{}, { onlyManaged: true }]], no: [[{}, {}]] },
  'who may assign a role': {
    asks: adminOrAssigns,
    yes: [[{}, { mayAssign: true }]],
    no: [
      [{}, { mayAssign: false }],
      [{ delegation: 'oauth1' }, { mayAssign: true }],
    ],
  },
  'the own assignments': {
    asks: ownAssignments,
    yes: [
      [{}, { userId: 'ann' }],
      [APPLICATION, { userId: 'ann' }],
    ],
    no: [
      [{}, { userId: 'bob' }],
      [{ methods: ['oauth2'] }, { userId: 'ann' }],
    ],
  },
  'the user or the organization concerned': {
    asks: adminOrThemselves,
    yes: [
      [{}, { userId: 'ann' }],
      [{ scope: PROJECT }, { projectId: 'project' }],
    ],
    no: [
      [{ scope: PROJECT }, { userId: 'bob', projectId: 'project' }],
      [{ scope: PROJECT }, { projectId: 'other' }],
    ],
  },
  'who may consent': {
    asks: mayConsent,
    yes: [[{}, { userId: 'ann' }]],
    no: [
      [{ delegation: 'federation' }, { userId: 'ann' }],
      [APPLICATION, { userId: 'ann' }],
    ],
  },
  'who reads the keys of others': {
    asks: systemReaderOfCredentials,
    yes: [[{ roles: ['reader'], scope: SYSTEM }, {}]],
    no: [[{ roles: ['reader'], scope: SYSTEM }, { isSecondFactor: true }]],
  },
  'who makes a key for a program': {
    asks: createsApplicationCredential,
    yes: [
      [{}, { userId: 'ann' }],
      [{ delegation: 'federation' }, { userId: 'ann' }],
      [{ delegation: 'application_credential', isUnrestricted: true }, { userId: 'ann' }],
    ],
    no: [
      [{}, { userId: 'bob' }],
      [APPLICATION, { userId: 'ann' }],
      [{ delegation: 'application_credential' }, { userId: 'ann' }],
      [{ delegation: 'trust', isUnrestricted: true }, { userId: 'ann' }],
    ],
  },
  'who reads a key of a program': {
    asks: readsApplicationCredential,
    yes: [
      [{}, { userId: 'ann', ownerId: 'bob' }],
      [{ enforcesScope: true }, { userId: 'ann' }],
      [{ enforcesScope: true }, { userId: 'ann', ownerId: 'ann' }],
    ],
    no: [
      [{ enforcesScope: true }, { userId: 'ann', ownerId: 'bob' }],
      [APPLICATION, { userId: 'ann' }],
      [{ delegation: 'trust' }, { userId: 'ann' }],
      [{ delegation: 'oauth1' }, { userId: 'ann' }],
    ],
  },
  'who reads a trust': {
    asks: readsTrust,
    yes: [
      [{}, { userId: 'ann', trusteeId: 'bob' }],
      [{}, { userId: 'bob', trusteeId: 'ann' }],
      [{ delegation: 'trust' }, { userId: 'ann' }],
    ],
    no: [
      [{}, { userId: 'bob', trusteeId: 'carl' }],
      [APPLICATION, { userId: 'ann' }],
      [{ delegation: 'application_credential' }, { userId: 'ann' }],
      [{ delegation: 'trust', methods: ['application_credential'] }, { userId: 'ann' }],
    ],
  },
};

describe('A rule knows', () => {
  for (const [name, { asks, yes, no }] of Object.entries(RULES))
    it(name, () => {
      for (const [who, facts = {}] of yes) assert.equal(asks(caller(who), facts), true, JSON.stringify([who, facts]));
      for (const [who, facts = {}] of no) assert.equal(asks(caller(who), facts), false, JSON.stringify([who, facts]));
    });
});
