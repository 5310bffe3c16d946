// What a caller may do: the rules that would let them pass. Each is asked as the server asks it for a request, with the facts that the
// target of the route finds. So this cannot differ from what happens when the request is sent.
import { Fault } from '../../../platform/faults/index.ts';
import type { Call, Query, Route, Schema, Target } from '../../../platform/http/index.ts';
import type { Grantee } from '../../access/context/index.ts';
import {
  type Action,
  type Caller,
  type Facts,
  isAllowed,
  maySend,
  PROVISIONING,
  type RankGuard,
} from '../../access/rules/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { single } from '../../ground/resource/index.ts';

/** What can be asked about, by the names of path parameters. */
export const SUBJECTS: Readonly<Record<string, string>> = {
  domain_id: 'A domain. Without it: the domain of the token.',
  project_id: 'A project. Without it: the project of the token.',
  user_id: 'A user.',
  group_id: 'A group.',
  role_id: 'A role, or with application_id a role of that application.',
  application_id: 'An application.',
  api_id: 'An API.',
  permission_id: 'A permission of an application.',
  invitation_id: 'An invitation.',
  credential_id: 'A credential.',
  type_id: 'A type of credentials in wallets.',
  connection_id: 'A provisioning connection.',
  region_id: 'A region.',
  service_id: 'A service.',
  endpoint_id: 'An endpoint.',
  idp_id: 'An identity provider.',
  mapping_id: 'A mapping.',
  protocol_id: 'A protocol of an identity provider.',
  kind: 'A kind of keys of the service: token, openid, issuer, verifier or master.',
  delivery_id: 'A message that waits to be sent.',
};

type Ids = Readonly<Record<string, string>>;

/** Rules for changes that are also refused for people and groups who outrank the caller. */
const RANKED: Readonly<Partial<Record<Action, (ids: Ids, caller: Caller) => Grantee | undefined>>> = {
  'identity:update_user': outrankingUser,
  'identity:expire_password': outrankingUser,
  'identity:unlock_user': outrankingUser,
  'identity:delete_user': outrankingUser,
  'identity:list_user_sessions': otherUser,
  'identity:end_user_sessions': otherUser,
  'identity:list_delegated_access': otherUser,
  'identity:end_delegated_access': otherUser,
  'identity:revoke_tokens_for_user': otherUser,
  'identity:cancel_account_deletion': outrankingUser,
  'identity:approve_registration': outrankingUser,
  'identity:refuse_registration': outrankingUser,
  'identity:update_group': outrankingGroup,
  'identity:delete_group': outrankingGroup,
  'identity:add_user_to_group': outrankingGroup,
  'identity:remove_user_from_group': outrankingGroup,
};
function outrankingUser({ user_id: userId = '' }: Ids): Grantee {
  return { userId };
}
/** People manage their own sessions and tokens, whatever their rights. */
function otherUser({ user_id: userId = '' }: Ids, caller: Caller): Grantee | undefined {
  return userId === caller.userId ? undefined : { userId };
}
function outrankingGroup({ group_id: groupId = '' }: Ids): Grantee {
  return { groupId };
}

/** Rules for a part of a request, each with the rule of the whole request. */
const PARTS: Readonly<Partial<Record<Action, Action>>> = { trust_consumer: 'update_consumer' };

export interface AllowedDeps {
  readonly db: Pick<Database, 'read'>;
  readonly refuseIfOutranked: RankGuard;
}
type AnyRoute = Route<Caller>;

const parametersOf = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);

/** Some routes have other names for the same things. */
const withAliases = (ids: Ids): Ids => ({
  ...ids,
  ...(ids.role_id === undefined ? {} : { prior_role_id: ids.role_id, implied_role_id: ids.role_id }),
  ...(ids.project_id === undefined ? {} : { organization_id: ids.project_id }),
  ...(ids.application_id === undefined ? {} : { consumer_id: ids.application_id }),
});

const definedOnly = (ids: Readonly<Record<string, string | undefined>>): Ids =>
  Object.fromEntries(Object.entries(ids).flatMap(([name, id]) => (id === undefined ? [] : [[name, id]])));

/** Things that a path names but the question does not: those that the token is scoped to. */
const ownScope = ({ authContext: { project, domain } }: Caller): Ids =>
  definedOnly({ project_id: project?.id, domain_id: domain?.id ?? project?.domain.id });

const requiredIn = (schema: Schema | undefined): string[] => (schema?.required ?? []) as string[];
const envelopeOf = ({ spec: { body } }: AnyRoute): string | undefined => requiredIn(body)[0];

/** No thing has this id. It stands for a required id that was not asked about. */
const NONE = '';

/** A body that names what is asked about, in the envelope that the route expects. */
function bodyOf(route: AnyRoute, asked: Ids): unknown {
  const envelope = envelopeOf(route);
  if (envelope === undefined) return {};
  const properties = (route.spec.body?.properties ?? {}) as Record<string, Schema>;
  const required = requiredIn(properties[envelope]).filter((name) => name in SUBJECTS);
  return { [envelope]: { ...Object.fromEntries(required.map((name) => [name, NONE])), ...asked } };
}

interface Question {
  readonly route: AnyRoute;
  /** How many of the things asked about the path names. */
  readonly named: number;
}

/** The requests that a caller could send about these things. Requests of provisioning clients have other callers. */
function questionsAbout(routes: readonly AnyRoute[], asked: Ids, known: Ids): Map<Action, Question[]> {
  const byRule = new Map<Action, Question[]>();
  for (const route of routes) {
    const names = parametersOf(route.path);
    if (route.spec.rule === 'anyone' || route.spec.access === PROVISIONING || names.some((name) => !(name in known))) continue;
    const named = names.filter((name) => name in asked).length;
    const rule = route.spec.rule as Action;
    const others = byRule.get(rule) ?? [];
    // A rule can have several routes. Those count that say most about what was asked.
    if (others.some((other) => other.named > named)) continue;
    byRule.set(rule, [...others.filter((other) => other.named === named), { route, named }]);
  }
  for (const [part, whole] of Object.entries(PARTS)) {
    const about = byRule.get(whole);
    if (about) byRule.set(part as Action, about);
  }
  return byRule;
}

/** The names of the rules that let the caller pass, sorted. */
export async function allowedRules(
  { db, refuseIfOutranked }: AllowedDeps,
  routes: readonly AnyRoute[],
  call: Call<Caller, unknown, Query, unknown>,
): Promise<readonly Action[]> {
  const { caller, query, base, path, address, requestId, signal } = call;
  const sent = { caller, base, path, address, requestId, signal, headers: {} };
  const asked = withAliases(definedOnly(Object.fromEntries(Object.keys(SUBJECTS).map((name) => [name, single(query, name)]))));
  const known = { ...withAliases(ownScope(caller)), ...asked };

  // Routes share their target functions, so most of them are called once.
  const targets = new Map<AnyRoute['target'], Map<string, Promise<Target<unknown, unknown>>>>();
  const targetOf = (route: AnyRoute): Promise<Target<unknown, unknown>> | undefined => {
    const { target } = route;
    if (!target) return undefined;
    const names = parametersOf(route.path);
    const found = targets.get(target) ?? new Map<string, Promise<Target<unknown, unknown>>>();
    targets.set(target, found);
    const key = `${names.join(' ')} ${envelopeOf(route) ?? ''}`;
    const params = Object.fromEntries(names.map((name) => [name, known[name]]));
    const find = async () => target({ ...sent, params, query: asked, body: bodyOf(route, asked) } as never);
    const result = found.get(key) ?? find();
    found.set(key, result);
    return result;
  };

  /** A question that lacks something, such as the token to validate, has no answer, and the rule is left out. */
  async function passes(rule: Action, { route }: Question): Promise<boolean> {
    if (!maySend(caller, route.method, route.spec.access)) return false;
    try {
      const target = await targetOf(route);
      if (!isAllowed(caller, rule, (target?.facts ?? {}) as Facts)) return false;
      const names = parametersOf(route.path);
      const grantee = names.some((name) => name in asked) ? RANKED[rule]?.(known, caller) : undefined;
      if (grantee) await refuseIfOutranked(db.read, caller, rule, grantee);
      return true;
    } catch (error) {
      if (error instanceof Fault) return false;
      throw error;
    }
  }

  const questions = [...questionsAbout(routes, asked, known)];
  const answers = await Promise.all(
    questions.map(async ([rule, about]) => (await Promise.all(about.map((one) => passes(rule, one)))).every(Boolean)),
  );
  return questions.flatMap(([rule], index) => (answers[index] ? [rule] : [])).sort();
}
