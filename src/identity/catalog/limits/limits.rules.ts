// Limits, as Keystone has them ("unified limits"). Services read and enforce them; nothing is counted here.
import type { Query, Static } from '../../../platform/http/index.ts';
import { newId } from '../../../platform/ids.ts';
import { type Caller, type IdentityTarget, targetOf } from '../../access/rules/index.ts';
import type { LimitRow, Reader, RegisteredLimitRow, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { criteriaOf, type Deps, type Filters, failOnBrokenReference, foundPage, pageOf } from '../../ground/resource/index.ts';
import type { CreateLimits, UpdateLimit } from './limits.schema.ts';
import {
  deleteLimit,
  findLimit,
  findLimits,
  forgetGoneLimit,
  insertLimits,
  type LimitWithResource,
  limitsInDomains,
  listLimits,
  lockLimit,
  projectsWithIds,
  registeredLimitsOf,
  someDeepProjects,
  updateLimit,
  type VisibleLimits,
} from './limits.store.ts';
import { checkStrictModel, LIMIT_MODELS, type LimitInTree } from './model.ts';
import {
  checkReferences,
  createRegisteredLimits,
  failOnDuplicateLimit,
  lockLimits,
  orGone,
  RESOURCE_FILTERS,
} from './registered-limits.rules.ts';

type NewLimit = Static<typeof CreateLimits>['limits'][number];
type LimitChanges = Static<typeof UpdateLimit>['limit'];

const filters: Filters = {
  ...RESOURCE_FILTERS,
  project_id: { column: 'limits.project_id', kind: 'text' },
  domain_id: { column: 'limits.domain_id', kind: 'text' },
};

const refuse = (field: string, why: string): never => fail('request.bad_value', { field, why });

/** What the token is for. Others see no limits at all. */
function visibleTo({ authContext: { scope } }: Caller): VisibleLimits {
  if (scope.kind === 'system') return { kind: 'all' };
  return scope.kind === 'unscoped' ? { kind: 'none' } : scope;
}

const inTree = (limit: LimitWithResource): LimitInTree => ({
  registeredLimitId: limit.registered_limit_id,
  domainId: limit.domain_id ?? limit.project_domain_id ?? '',
  projectId: limit.project_id ?? undefined,
  amount: limit.resource_limit,
});

/** Whose limit it is: a domain that was named as a project is a domain. */
async function ownersOf(tx: Reader, limits: readonly NewLimit[]) {
  const ids = limits.map(({ project_id, domain_id }) => {
    if ((project_id === undefined) === (domain_id === undefined)) refuse('limits', 'each needs a project_id or a domain_id');
    return (project_id ?? domain_id)!;
  });
  const projects = new Map((await projectsWithIds(tx, [...new Set(ids)])).map((project) => [project.id, project]));
  return limits.map(({ project_id, domain_id }) => {
    const found = projects.get((project_id ?? domain_id)!);
    if (project_id !== undefined && !found) refuse('project_id', `there is no project ${project_id}`);
    if (domain_id !== undefined && found?.is_domain !== 1) refuse('domain_id', `there is no domain ${domain_id}`);
    return found!.is_domain === 1
      ? { projectId: null, domainId: found!.id, within: found!.id }
      : { projectId: found!.id, domainId: null, within: found!.domain_id! };
  });
}

/** The registered limit of each: a limit without one means nothing. */
async function resourcesOf(tx: Reader, limits: readonly NewLimit[]): Promise<RegisteredLimitRow[]> {
  const serviceIds = [...new Set(limits.map(({ service_id }) => service_id))];
  await checkReferences(tx, limits);
  const registered = await registeredLimitsOf(tx, serviceIds);
  return limits.map(
    ({ service_id, region_id = null, resource_name }) =>
      registered.find(
        (row) => row.service_id === service_id && row.region_id === region_id && row.resource_name === resource_name,
      ) ?? fail('limit.not_registered'),
  );
}

export function createLimits(deps: Pick<Deps, 'db' | 'change' | 'config'>) {
  const { db, change, config } = deps;
  const isStrict = config.limitModel === 'strict_two_level';

  async function checkModel(tx: Tx, limits: readonly LimitInTree[], resources: readonly RegisteredLimitRow[]): Promise<void> {
    const unique = (values: readonly string[]): string[] => [...new Set(values)];
    const stored = await limitsInDomains(
      tx,
      unique(limits.map(({ registeredLimitId }) => registeredLimitId)),
      unique(limits.map(({ domainId }) => domainId)),
    );
    const defaults = new Map(resources.map(({ id, default_limit: amount }) => [id, amount]));
    checkStrictModel(limits, stored.map(inTree), (id) => defaults.get(id)!);
  }

  /** Without a limit of its own, a domain has the default. No project in it may have more. */
  async function checkWithout(tx: Tx, limit: LimitWithResource): Promise<void> {
    await lockLimits(db, tx);
    const resources = (await registeredLimitsOf(tx, [limit.service_id])).filter(({ id }) => id === limit.registered_limit_id);
    const [resource] = resources;
    if (resource) await checkModel(tx, [{ ...inTree(limit), amount: resource.default_limit }], resources);
  }

  async function create(caller: Caller, limits: readonly NewLimit[]): Promise<LimitWithResource[]> {
    const ids = limits.map(() => newId());
    await change(caller, async ({ tx, audit }) => {
      await lockLimits(db, tx);
      const owners = await ownersOf(tx, limits);
      const resources = await resourcesOf(tx, limits);
      const rows = limits.map(
        (limit, at): LimitRow => ({
          id: ids[at]!,
          registered_limit_id: resources[at]!.id,
          project_id: owners[at]!.projectId,
          domain_id: owners[at]!.domainId,
          resource_limit: limit.resource_limit,
          description: limit.description ?? null,
        }),
      );
      if (isStrict) {
        const tree = rows.map(
          (row, at): LimitInTree => ({
            registeredLimitId: row.registered_limit_id,
            domainId: owners[at]!.within,
            projectId: row.project_id ?? undefined,
            amount: row.resource_limit,
          }),
        );
        await checkModel(tx, tree, resources);
      }
      await failOnBrokenReference(
        () => fail('limit.not_registered'),
        () => failOnDuplicateLimit('limit', () => insertLimits(tx, rows)),
      );
      for (const [at, { id, project_id }] of rows.entries())
        audit('limit.created', { kind: 'limit', id }, { project_id, domain_id: owners[at]!.within });
    });
    const made = new Map((await findLimits(db.read, ids)).map((limit) => [limit.id, limit]));
    return ids.flatMap((id) => made.get(id) ?? []);
  }

  async function update(caller: Caller, { id }: LimitWithResource, body: LimitChanges): Promise<LimitWithResource> {
    const missing = () => fail('limit.not_found', { id });
    return change(caller, async ({ tx, audit }) => {
      await lockLimits(db, tx);
      const row = (await lockLimit(db, tx, id)) ?? missing();
      const values = {
        resource_limit: body.resource_limit ?? row.resource_limit,
        description: body.description === undefined ? row.description : body.description,
      };
      const limit = (await findLimit(tx, id)) ?? missing();
      if (isStrict && body.resource_limit !== undefined) {
        const resources = (await registeredLimitsOf(tx, [limit.service_id])).filter((one) => one.id === row.registered_limit_id);
        await checkModel(tx, [{ ...inTree(limit), amount: body.resource_limit }], resources);
      }
      await updateLimit(tx, id, values);
      audit('limit.updated', { kind: 'limit', id }, { fields: Object.keys(body), domain_id: inTree(limit).domainId });
      return { ...limit, ...values };
    });
  }

  const target = async (id: string): Promise<IdentityTarget<LimitWithResource>> =>
    targetOf(
      await findLimit(db.read, id),
      (limit) => ({ domainId: limit.domain_id ?? limit.project_domain_id, projectId: limit.project_id ?? undefined }),
      () => fail('limit.not_found', { id }),
    );

  return {
    ...createRegisteredLimits(deps),
    target,
    removalTarget: async (id: string) => orGone(db, id, await target(id)),

    async list(caller: Caller, query: Query) {
      return foundPage(query, await listLimits(db, pageOf(query), visibleTo(caller), criteriaOf(query, filters)));
    },
    create,
    update,

    async remove(caller: Caller, { id }: { readonly id: string }): Promise<void> {
      if (await db.write((tx) => forgetGoneLimit(tx, id))) return;
      await change(caller, async ({ tx, audit }) => {
        const limit = (await findLimit(tx, id)) ?? fail('limit.not_found', { id });
        if (isStrict && limit.domain_id !== null) await checkWithout(tx, limit);
        if (!(await deleteLimit(tx, id))) fail('limit.not_found', { id });
        audit('limit.deleted', { kind: 'limit', id }, { project_id: limit.project_id, domain_id: inTree(limit).domainId });
      });
    },

    model: () => ({ name: config.limitModel, description: LIMIT_MODELS[config.limitModel] }),

    /** At the start: the strict model says nothing about projects below projects. */
    async checkProjectTree(): Promise<void> {
      if (!isStrict) return;
      const deep = await someDeepProjects(db.read);
      if (deep.length > 0)
        throw new Error(
          `GATEHOUSE_IDENTITY_LIMIT_MODEL cannot be strict_two_level: there are projects below projects (${deep.join(', ')})`,
        );
    },
  };
}

export type Limits = ReturnType<typeof createLimits>;
