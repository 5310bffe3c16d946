// Forms of the console that tests fill in and send.
import { words } from '../../console/identity/words/en/index.ts';
import { texts } from '../../console/shared/words/en.ts';
import type { ConsoleWorld } from './console-acts.ts';

const { people, options, organizations, apis, applications, credentials, providers, service, mail, settings } = words;
const { names: domainNames } = words.domainSettings;
const SETTINGS = /^PATCH \/v3\/OS-SERVICE\/settings$/;
const DOMAIN_SETTINGS = /^PATCH \/v3\/OS-SERVICE\/domains\/[^/]+\/settings$/;

/** A form of a screen, or of a dialog that a button opens. */
export interface Change {
  readonly path: string;
  /** The button that opens the dialog. */
  readonly open?: string;
  /** The label of the text that is entered, and must not be lost. */
  readonly field: string;
  /** What the field takes, with something new in it. */
  readonly textOf: (unique: string) => string;
  /** What else the form cannot do without, by label. */
  readonly more?: Readonly<Record<string, string>>;
  readonly submit: string;
  readonly sent: RegExp;
  /** Whether the page of what was made opens afterwards, by itself. */
  readonly opensMade?: boolean;
}

const same = (unique: string): string => unique;
const saves = (path: string, sent: RegExp, field: string, textOf = same): Change => ({
  path,
  field,
  textOf,
  submit: texts.save,
  sent,
});
/** A combination of ways to sign in. What nobody has is good, too: the person is never asked in these tests. */
const methods = (unique: string): string => `password, ${unique.replaceAll(/\W/g, '_')}`;
const mailDomain = (unique: string): string => `${unique}.example`;
const mailAddress = (unique: string): string => `${unique}@town.example`;
export const opens = (path: string, button: string, field: string, sent: RegExp, submit = texts.create): Change => ({
  path,
  open: button,
  field,
  textOf: same,
  submit,
  sent,
});

/** From a list: a dialog, and then the page of what was made. */
const makes = (...named: Parameters<typeof opens>): Change => ({ ...opens(...named), opensMade: true });

/** Forms that change one thing, which somebody else may have open, too. */
export const edits = (world: ConsoleWorld): readonly Change[] => [
  saves(`/people/${world.user.id}?tab=overview`, /^PATCH \/v3\/users\//, people.description),
  saves(`/people/${world.user.id}?tab=sign-in`, /^PATCH \/v3\/users\//, options.multi_factor_auth_rules, methods),
  saves(`/groups/${world.group.id}?tab=settings`, /^PATCH \/v3\/groups\//, organizations.description),
  saves(`/organizations/${world.project.id}?tab=settings`, /^PATCH \/v3\/projects\//, organizations.description),
  saves(`/providers/${world.idp}`, /^PATCH \/v3\/OS-FEDERATION\/identity_providers\//, providers.description),
  saves(`/providers/${world.idp}?tab=mapping`, /^PATCH \/v3\/OS-FEDERATION\/mappings\//, providers.nameClaim),
  saves(`/applications/${world.application.id}`, /^PATCH \/v3\/OS-OAUTH2\//, applications.description),
  saves(`/domains/${world.domain.id}?tab=settings`, /^PATCH \/v3\/domains\//, organizations.description),
  saves(
    `/domains/${world.domain.id}?tab=sign-in`,
    DOMAIN_SETTINGS,
    domainNames['registration.allowed_email_domains'],
    mailDomain,
  ),
  saves(`/domains/${world.domain.id}?tab=look`, DOMAIN_SETTINGS, domainNames['look.name']),
  saves(`/domains/${world.domain.id}?tab=directory`, DOMAIN_SETTINGS, domainNames['ldap.suffix']),
  saves('/service/settings?group=mail', SETTINGS, settings.names.GATEHOUSE_IDENTITY_MAIL_FROM, mailAddress),
  saves('/service/look', SETTINGS, settings.names.GATEHOUSE_IDENTITY_BRAND_NAME),
  saves('/service/sign-in?group=passwords', SETTINGS, settings.names.GATEHOUSE_IDENTITY_PASSWORD_REGEX_DESCRIPTION),
  saves('/service/mail', SETTINGS, settings.names.GATEHOUSE_IDENTITY_MAIL_FROM, mailAddress),
  saves('/service/registration', SETTINGS, settings.names.GATEHOUSE_IDENTITY_REGISTRATION_EMAIL_DOMAINS, mailDomain),
  saves('/service/mail?text=en/invitation', /^PUT \/v3\/OS-SERVICE\/mail\/texts\//, mail.subject),
];

/** All kinds of forms: a few of each. `every-form.test.ts` opens all that there are. */
export const changes = (world: ConsoleWorld): readonly Change[] => [
  ...edits(world),
  {
    ...makes('/apis', apis.create, apis.name, /^POST \/v3\/OS-OAUTH2\/apis$/),
    more: { [apis.identifier]: 'https://papers.example/' },
  },
  {
    ...opens(`/apis/${world.nouns.api.id}`, apis.addScope, apis.scopeName, /^PATCH \/v3\/OS-OAUTH2\/apis\//, apis.addScope),
    more: { [apis.scopeWords]: 'to read your papers' },
  },
  opens(`/apis/${world.nouns.api.id}`, apis.change, apis.description, /^PATCH \/v3\/OS-OAUTH2\/apis\//, texts.save),
  makes('/people', people.create, people.name, /^POST \/v3\/users$/),
  makes('/groups', organizations.newGroup, organizations.name, /^POST \/v3\/groups$/),
  makes('/organizations', organizations.newOrganization, organizations.name, /^POST \/v3\/projects$/),
  makes('/domains', organizations.newDomain, organizations.name, /^POST \/v3\/domains$/),
  opens(
    `/applications/${world.application.id}?tab=roles`,
    applications.newRole,
    applications.roleName,
    /^POST \/v3\/OS-ROLES\/roles$/,
  ),
  opens(
    `/applications/${world.application.id}?tab=credentials`,
    credentials.create,
    credentials.name,
    /^POST \/v3\/OS-ROLE-CREDENTIALS\/types$/,
  ),
  opens('/service/catalog', service.add, service.region, /^POST \/v3\/regions$/, service.add),
  opens('/service/roles', service.newRole, service.name, /^POST \/v3\/roles$/),
];

interface Forms {
  /** How many are made in the file. */
  readonly made: number;
  /** The paths of the changes above that try them. */
  readonly tried: readonly string[];
  /** Why the others need no change of their own. */
  readonly others?: string;
}
const CHOSEN = 'only what the service finds is chosen in it';
const A_FILE = 'only a file is chosen in it';
const READS = 'it changes nothing';

/** Every form in the sources of the console. A new one has an entry above, or a reason here: a test counts them. */
export const FORMS: Readonly<Record<string, Forms>> = {
  'apis/api.ts': { made: 3, tried: ['/apis/:id', '/apis/:id'], others: CHOSEN },
  'apis/apis.ts': { made: 1, tried: ['/apis'] },
  'applications/application.ts': {
    made: 1,
    tried: [],
    others: 'a new secret: nothing is entered but how long the former one is good',
  },
  'applications/holders.ts': { made: 1, tried: [], others: CHOSEN },
  'applications/logo.ts': { made: 1, tried: [], others: A_FILE },
  'applications/matrix.ts': {
    made: 2,
    tried: ['/applications/:id?tab=roles'],
    others: 'a permission: made like a role, beside it',
  },
  'applications/new-application.ts': {
    made: 2,
    tried: [],
    others: 'steps: the walk of console-applications.test.ts goes through them',
  },
  'applications/registered.ts': {
    made: 1,
    tried: [],
    others: 'a token, which is shown once: console-applications and the tests of registration make some',
  },
  'applications/registration.ts': { made: 1, tried: ['/applications/:id'] },
  'applications/try.ts': { made: 1, tried: [], others: READS },
  'credentials/application-credentials.ts': { made: 1, tried: [], others: CHOSEN },
  'credentials/type-form.ts': { made: 1, tried: ['/applications/:id?tab=credentials'] },
  'domains/domains.ts': { made: 1, tried: ['/domains'] },
  'grants/give.ts': { made: 2, tried: [], others: CHOSEN },
  'groups/group.ts': { made: 2, tried: ['/groups/:id?tab=settings'], others: CHOSEN },
  'groups/groups.ts': { made: 1, tried: ['/groups'] },
  'look/brand-picture.ts': { made: 1, tried: [], others: A_FILE },
  'organizations/create.ts': { made: 1, tried: ['/organizations'] },
  'organizations/place-screen.ts': { made: 1, tried: ['/organizations/:id?tab=settings', '/domains/:id?tab=settings'] },
  'people/bulk.ts': { made: 1, tried: [], others: CHOSEN },
  'people/invite.ts': {
    made: 1,
    tried: [],
    others: 'console-people.test.ts sends invitations; the service refuses a second one only if it is asked to',
  },
  'people/people.ts': { made: 1, tried: ['/people'] },
  'people/person-groups.ts': { made: 1, tried: [], others: CHOSEN },
  'people/person-options.ts': { made: 1, tried: ['/people/:id?tab=sign-in'] },
  'people/person-overview.ts': { made: 1, tried: ['/people/:id?tab=overview'] },
  'people/person-roles.ts': { made: 1, tried: [], others: CHOSEN },
  'people/person-sign-in.ts': { made: 1, tried: [], others: 'a password: sent twice it is the same' },
  'people/sign-in-preview.ts': { made: 1, tried: [], others: READS },
  'people/waiting.ts': { made: 1, tried: [], others: 'who was refused is gone: a second time is refused' },
  'providers/mapping.ts': { made: 2, tried: ['/providers/:id?tab=mapping'], others: READS },
  'providers/new-provider.ts': { made: 3, tried: [], others: 'steps: the walk of console-providers.test.ts goes through them' },
  'providers/settings.ts': { made: 3, tried: ['/providers/:id'], others: 'the parts of one screen, which are alike' },
  'provisioning/provisioning.ts': {
    made: 1,
    tried: [],
    others: 'a connection, whose token is shown once: console-applications.test.ts makes some',
  },
  'service/catalog.ts': { made: 1, tried: ['/service/catalog'] },
  'service/mail-text.ts': { made: 1, tried: ['/service/mail?text=en/invitation'] },
  'service/roles.ts': { made: 2, tried: ['/service/roles'], others: CHOSEN },
  'service/test-mail.ts': { made: 1, tried: [], others: READS },
  'why/why.ts': { made: 1, tried: [], others: READS },
};
