// Logging in, validating, revoking, and what a token may see.
import { ADMIN_PASSWORD } from '../../support/service.ts';
import {
  type ApiRequest,
  type Area,
  as,
  become,
  del,
  get,
  head,
  PASSWORD,
  passwordLogin,
  patch,
  post,
  preflight,
} from '../request.ts';
import { ADMIN_SCOPE } from './setup.ts';

const admin = { name: 'admin', domain: { id: 'default' }, password: ADMIN_PASSWORD };
const member = { id: '{project-member}', password: PASSWORD };
const WEB = { project: { id: '{web}' } };

const logIn = (auth: unknown, query = ''): ApiRequest => post(`/v3/auth/tokens${query}`, { auth }, { as: 'nobody' });
const byToken = (scope?: unknown, id = '{token of project-member}'): ApiRequest =>
  logIn({ identity: { methods: ['token'], token: { id } }, ...(scope === undefined ? {} : { scope }) });
const subject = (token: string, method: typeof get = get, query = ''): ApiRequest =>
  method(`/v3/auth/tokens${query}`, { headers: { 'x-subject-token': token } });

const passwords: ApiRequest[] = [
  passwordLogin(admin),
  passwordLogin(admin, ADMIN_SCOPE),
  passwordLogin(admin, { domain: { id: 'default' } }),
  passwordLogin(admin, { domain: { name: 'Default' } }),
  passwordLogin(admin, { system: { all: true } }),
  passwordLogin(admin, 'unscoped'),
  passwordLogin(admin, { unscoped: {} }),
  passwordLogin(admin, { project: { name: 'admin', domain: { name: 'Default' } } }),
  passwordLogin({ name: 'admin', domain: { name: 'Default' }, password: ADMIN_PASSWORD }),
  passwordLogin({ name: 'project-member', domain: { id: '{acme}' }, password: PASSWORD }, WEB),
  passwordLogin(member, WEB),
  passwordLogin(member),
  passwordLogin(member, { domain: { id: '{acme}' } }),
  passwordLogin(member, { system: { all: true } }),
  passwordLogin(member, { project: { id: '{lonely}' } }),
  passwordLogin(member, { project: { id: 'no-such-project' } }),
  passwordLogin(member, { project: { name: 'web' } }),
  passwordLogin(member, { project: {} }),
  passwordLogin(member, { domain: { id: 'no-such-domain' } }),
  passwordLogin(member, { system: {} }),
  passwordLogin(member, { system: { all: false } }),
  passwordLogin(member, {}),
  passwordLogin(member, { project: { id: '{web}' }, domain: { id: '{acme}' } }),
  passwordLogin(member, { no_such: {} }),
  passwordLogin(member, []),
  passwordLogin(member, 'text'),
  passwordLogin({ id: '{project-member}', password: 'wrong' }),
  passwordLogin({ id: '{project-member}' }),
  passwordLogin({ id: '{project-member}', password: '' }),
  passwordLogin({ id: '{project-member}', password: 7 }),
  passwordLogin({ id: '{project-member}', password: null }),
  passwordLogin({ id: 'no-such-user', password: PASSWORD }),
  passwordLogin({ name: 'project-member', password: PASSWORD }),
  passwordLogin({ name: 'nobody-known', domain: { id: '{acme}' }, password: PASSWORD }),
  passwordLogin({ name: 'admin', domain: { id: 'no-such-domain' }, password: PASSWORD }),
  passwordLogin({ name: 'admin', domain: {}, password: PASSWORD }),
  passwordLogin({ password: PASSWORD }),
  passwordLogin({}),
];

const forms: ApiRequest[] = [
  post('/v3/auth/tokens', undefined, { as: 'nobody' }),
  post('/v3/auth/tokens', {}, { as: 'nobody' }),
  post('/v3/auth/tokens', [], { as: 'nobody' }),
  post('/v3/auth/tokens', undefined, { as: 'nobody', raw: '{', headers: { 'content-type': 'application/json' } }),
  post('/v3/auth/tokens', undefined, {
    as: 'nobody',
    raw: JSON.stringify({ auth: { identity: { methods: ['password'], password: { user: admin } } } }),
    headers: { 'content-type': 'text/plain' },
  }),
  logIn({}),
  logIn(null),
  logIn({ identity: {} }),
  logIn({ identity: { methods: [] } }),
  logIn({ identity: { methods: 'password', password: { user: member } } }),
  logIn({ identity: { methods: ['password'] } }),
  logIn({ identity: { methods: ['no-such-method'], 'no-such-method': {} } }),
  logIn({ identity: { methods: ['password', 'password'], password: { user: member } } }),
  logIn({ identity: { methods: ['password', 'no-such-method'], password: { user: member } } }),
  logIn({ identity: { methods: ['token'] } }),
  logIn({ identity: { methods: ['token'], token: {} } }),
  logIn({ identity: { methods: ['token'], token: { id: 'no-such-token' } } }),
  logIn({ identity: { methods: ['external'] } }),
  logIn({ identity: { methods: ['application_credential'] } }),
  logIn({ identity: { methods: ['application_credential'], application_credential: { id: 'no-such', secret: 'x' } } }),
  logIn({ identity: { methods: ['oauth1'], oauth1: {} } }),
  logIn({ identity: { methods: ['mapped'], mapped: {} } }),
  logIn({ identity: { methods: ['password'], password: { user: member } }, unknown: true }),
  logIn({ identity: { methods: ['password'], password: { user: { ...member, extra: 1 } } } }),
  logIn({ identity: { methods: ['password'], password: { user: admin } }, scope: ADMIN_SCOPE }, '?nocatalog'),
  logIn({ identity: { methods: ['password'], password: { user: admin } }, scope: ADMIN_SCOPE }, '?nocatalog=0'),
  byToken(),
  byToken(WEB),
  byToken({ project: { id: '{lonely}' } }),
  byToken({ domain: { id: '{acme}' } }),
  byToken('unscoped'),
  byToken(WEB, '{token of unscoped}'),
  byToken(WEB, ''),
];

const subjects: ApiRequest[] = [
  subject('{token of project-member}'),
  subject('{token of project-member}', head),
  subject('{token of project-member}', get, '?nocatalog'),
  subject('{token of project-member}', get, '?allow_expired=1'),
  subject('{token of unscoped}'),
  subject('{token of system-reader}'),
  subject('{token of domain-admin}'),
  subject('no-such-token'),
  subject('no-such-token', head),
  subject('no-such-token', del),
  subject('', get),
  ...['project-member', 'system-reader', 'domain-reader', 'unscoped', 'nobody', 'stranger'].flatMap((persona) => [
    ...as(persona, subject('{token of project-reader}')),
    ...as(persona, subject('{token of project-reader}', head)),
  ]),
  ...as('project-member', subject('{token of project-member}'), subject('{token of project-admin}', del)),
  ...as('stranger', subject('{token of project-member}', del)),
  preflight('/v3/auth/tokens'),
  patch('/v3/auth/tokens', {}),
];

const places: ApiRequest[] = [
  ...['/v3/auth/projects', '/v3/auth/domains', '/v3/auth/system', '/v3/auth/catalog'].flatMap((path) => [
    get(path),
    head(path),
    ...as('project-member', get(path)),
    ...as('domain-admin', get(path)),
    ...as('system-reader', get(path)),
    ...as('unscoped', get(path)),
    ...as('nobody', get(path)),
    post(path, {}),
  ]),
];

const revocation: ApiRequest[] = [
  post('/v3/users', { user: { name: 'leaver', password: PASSWORD, domain_id: '{acme}' } }, { keep: { leaver: 'user.id' } }),
  become('leaver', '{leaver}'),
  ...as('leaver', get('/v3/auth/projects'), subject('{token of leaver}', del), get('/v3/auth/projects')),
  subject('{token of leaver}'),
  subject('{token of leaver}', del),
  become('leaver', '{leaver}'),
  patch('/v3/users/{leaver}', { user: { enabled: false } }),
  ...as('leaver', get('/v3/auth/projects')),
  passwordLogin({ id: '{leaver}', password: PASSWORD }),
  patch('/v3/users/{leaver}', { user: { enabled: true } }),
  passwordLogin({ id: '{leaver}', password: PASSWORD }),
  del('/v3/users/{leaver}'),
  passwordLogin({ id: '{leaver}', password: PASSWORD }),
  get('/v3/OS-REVOKE/events'),
  get('/v3/OS-REVOKE/events?since=2020-01-01T00:00:00.000000Z'),
  get('/v3/OS-REVOKE/events?since=no-date'),
  get('/v3/OS-REVOKE/events', { as: 'project-member' }),
  get('/v3/OS-REVOKE/events', { as: 'nobody' }),
  get('/v3/OS-SIMPLE-CERT/ca'),
  get('/v3/OS-SIMPLE-CERT/certificates'),
  get('/v3/auth/tokens/OS-PKI/revoked'),
  get('/v3/auth/tokens/OS-PKI/revoked', { as: 'nobody' }),
];

export const tokens: Area = { title: 'tokens', requests: [...passwords, ...forms, ...subjects, ...places, ...revocation] };
