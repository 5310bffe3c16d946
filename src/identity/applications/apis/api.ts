// An API as administrators register it. Its identifier is the audience of its tokens, so it never changes, and only administrators say whose it is.
import { takeAdvisoryLock } from '../../../platform/database/index.ts';
import { t } from '../../../platform/http/index.ts';
import { defineNoun } from '../../access/noun/index.ts';
import type { ApiRow, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { findConsumer, OPENID_SCOPES } from '../consumers/index.ts';
import { findApiByIdentifier, lockApi } from './apis.store.ts';
import { APIS_TAG, scimIdentifier } from './apis.ts';
import {
  type Exchange,
  exchangesOf,
  isApiIdentifier,
  isScopeOfOthers,
  type StoredScope,
  scopesOf,
  takesAway,
  withOtherEnd,
} from './scopes.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
/** A JWT is good until it ends, whatever happens meanwhile. */
const LONGEST_JWT = HOUR;
const MAX_SCOPES = 50;
const MAX_APPLICATIONS = 200;
const MAX_EXCHANGES = 200;

const Identifier = t.string({
  minLength: 1,
  maxLength: 255,
  description:
    'The audience of its tokens, which applications send as `resource`: an `https` address, or a `urn:`. `http` is for addresses of this machine. It cannot be changed.',
});
const Id = t.string({ minLength: 1, maxLength: 255 });
const ApiScope = t.object(
  {
    name: t.string({ minLength: 1, maxLength: 100, pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$' }),
    description: t.string({
      minLength: 1,
      maxLength: 200,
      pattern: '\\S',
      description: 'What people are told when an application asks for it, such as `to read your papers`.',
    }),
  },
  {
    roles: t.nullable(
      t.array(Id, {
        maxItems: 50,
        description:
          'Ids of roles of the API’s application: only people who have one of them get the scope. Not set: everybody, and applications for themselves.',
      }),
    ),
  },
);
t.name({ ApiScope });

const applications = t.nullable(
  t.array(Id, {
    maxItems: MAX_APPLICATIONS,
    description: 'The ids of the applications that may ask for tokens. null: all applications that are registered.',
  }),
);

const ScopeName = t.string({ minLength: 1, maxLength: 100 });
const ApiExchange = t.object(
  { application_id: Id, subject_scope: ScopeName, scope: ScopeName },
  {},
  {
    description:
      'The application may exchange the token of a person that has `subject_scope`, for the API of the application or issued to it, for a token of this API with `scope`.',
  },
);
t.name({ ApiExchange });

/** As it is stored: without what says nothing. */
const storedScopes = (said: readonly StoredScope[]): string =>
  JSON.stringify(said.map(({ name, description, roles }) => ({ name, description, ...(roles ? { roles } : {}) })));

const storedApplications = (said: readonly string[] | null): string | null =>
  said === null ? null : JSON.stringify([...new Set(said)]);

const storedExchanges = (said: readonly Exchange[]): string | null => (said.length === 0 ? null : JSON.stringify(said));

function checkScopes(scopes: readonly StoredScope[]): void {
  const refuse = (why: string): never => fail('request.bad_value', { field: 'scopes', why });
  const names = scopes.map(({ name }) => name);
  if (new Set(names).size < names.length) refuse('a name is there twice');
  const taken = names.find((name) => isScopeOfOthers(name, OPENID_SCOPES));
  if (taken !== undefined) refuse(`${taken} is a scope of the service itself`);
}

async function checkApplications(
  tx: Tx,
  { application_id: own, applications: listed, exchanges }: Partial<ApiRow>,
): Promise<void> {
  const exchanging = exchanges ? exchangesOf({ exchanges }).map(({ application_id: id }) => id) : [];
  const ids = [...(own ? [own] : []), ...(listed ? (JSON.parse(listed) as string[]) : []), ...exchanging];
  for (const id of new Set(ids)) if (!(await findConsumer(tx, id))) fail('application.not_found', { id });
}

/** What the whole of it must be, whatever a change says. */
type Whole = Pick<ApiRow, 'scopes' | 'application_id' | 'token_format' | 'token_lifetime' | 'exchanges'>;

function checkWhole({ scopes, exchanges, application_id: own, token_format: format, token_lifetime: life }: Whole): void {
  checkScopes(scopesOf({ scopes }));
  const given = exchangesOf({ exchanges }).find(({ scope }) => !scopesOf({ scopes }).some(({ name }) => name === scope));
  if (given) fail('request.bad_value', { field: 'exchanges', why: `${given.scope} is no scope of the API` });
  if (own === null && scopesOf({ scopes }).some(({ roles }) => roles))
    fail('request.bad_value', { field: 'scopes', why: 'roles are those of an application, and the API belongs to none' });
  if (format === 'jwt' && life !== null && life > LONGEST_JWT)
    fail('request.bad_value', {
      field: 'token_lifetime',
      why: `a JWT cannot be revoked, so it lives at most ${LONGEST_JWT} seconds`,
    });
}

/** What a request says that rules ask about. */
interface Said {
  readonly identifier?: string;
  readonly scopes?: readonly StoredScope[];
  readonly application_id?: string | null;
  readonly applications?: readonly string[] | null;
  readonly token_format?: string;
  readonly token_lifetime?: number | null;
  readonly exchanges?: readonly Exchange[];
}

/** The columns that it names. */
const columnsOf = ({ scopes, applications: listed, exchanges, ...others }: Said): Partial<ApiRow> => ({
  ...others,
  ...(scopes === undefined ? {} : { scopes: storedScopes(scopes) }),
  ...(listed === undefined ? {} : { applications: storedApplications(listed) }),
  ...(exchanges === undefined ? {} : { exchanges: storedExchanges(exchanges) }),
});

const INITIAL = {
  scopes: '[]',
  application_id: null,
  applications: '[]',
  token_format: 'jwt',
  token_lifetime: null,
  exchanges: null,
};

export const api = defineNoun('api', {
  under: '/v3/OS-OAUTH2',
  isClosed: true,
  isVersioned: true,
  invalidates: APIS_TAG,
  tag: 'APIs',
  fields: {
    identifier: { body: Identifier, filter: 'text' },
    name: { body: t.string({ minLength: 1, maxLength: 255, pattern: '\\S' }), filter: 'text' },
    description: { body: t.nullable(t.string({ maxLength: 2000 })), initial: null },
    scopes: {
      body: t.array(ApiScope, { maxItems: MAX_SCOPES }),
      initial: INITIAL.scopes,
      store: storedScopes,
      show: (stored) => JSON.parse(stored) as unknown,
    },
    application_id: {
      body: t.nullable(
        t.string({
          minLength: 1,
          maxLength: 255,
          description:
            'The application that it belongs to: it may introspect the tokens of the API, and its roles can give the scopes.',
        }),
      ),
      initial: INITIAL.application_id,
      filter: 'text',
    },
    applications: {
      body: applications,
      initial: INITIAL.applications,
      store: storedApplications,
      show: (stored) => (stored === null ? null : (JSON.parse(stored) as unknown)),
    },
    token_format: {
      body: t.oneOf('opaque', 'jwt'),
      initial: INITIAL.token_format,
    },
    token_lifetime: {
      body: t.nullable(
        t.integer({
          minimum: MINUTE,
          maximum: 24 * HOUR,
          description:
            'For how many seconds its tokens are good, at most as long as those of the service. null: ten minutes for a JWT, and as the service has it for others.',
        }),
      ),
      initial: INITIAL.token_lifetime,
    },
    exchanges: {
      body: t.array(ApiExchange, { maxItems: MAX_EXCHANGES }),
      initial: INITIAL.exchanges,
      store: storedExchanges,
      show: (stored) => exchangesOf({ exchanges: stored }),
    },
  },
  words: {
    create: {
      description:
        'Applications ask for tokens for it by `resource` (RFC 8707), or by its scopes. `token_format`: a `jwt` (RFC 9068) is checked by the API itself, an `opaque` one by introspection.',
    },
    change: {
      description:
        'A scope that is removed, or that fewer roles have, ends all tokens of the API but JWTs, which end by themselves; and people are asked again. Tokens that were exchanged end with the entry of `exchanges` that gave them.',
    },
    delete: { description: 'Its tokens end, but for JWTs, which end by themselves. Consents to it end, too.' },
  },
  examples: {
    create: {
      identifier: 'https://api.example.org/papers',
      name: 'Papers',
      scopes: [{ name: 'papers:read', description: 'to read your papers' }],
      applications: null,
    },
    change: { name: 'Papers of the town', token_lifetime: 300 },
  },
  refusals: {
    create: ['application.not_found', 'resource.duplicate', 'request.bad_value'],
    change: ['application.not_found', 'request.bad_value'],
  },
  hooks: ({ db, issuer }) => ({
    async prepare({ tx }, body: Said, id, isNew) {
      const said = columnsOf(body);
      await checkApplications(tx, said);
      if (isNew) {
        const { identifier = '' } = said;
        if (!isApiIdentifier(identifier))
          fail('request.bad_value', { field: 'identifier', why: 'it must be an https address or a urn, without a fragment' });
        const spellings = [identifier, withOtherEnd(identifier)];
        // Two at once, one with the slash and one without, would not see each other.
        await takeAdvisoryLock(db, tx, `API ${spellings.toSorted()[0]}`);
        for (const value of spellings)
          if (value === scimIdentifier(issuer()) || (await findApiByIdentifier(tx, value)))
            fail('resource.duplicate', { kind: 'API', field: 'identifier', value });
        checkWhole({ ...INITIAL, ...said });
        return { epoch: 0 };
      }
      const before = (await lockApi(db, tx, id)) ?? fail('api.not_found', { id });
      if (said.identifier !== undefined && said.identifier !== before.identifier)
        fail('request.bad_value', { field: 'identifier', why: 'it cannot be changed' });
      const after = { ...before, ...said };
      checkWhole(after);
      return takesAway(before, after) ? { epoch: before.epoch + 1 } : undefined;
    },
    brokenReference: ({ application_id: application }) => fail('application.not_found', { id: application ?? '' }),
  }),
});
