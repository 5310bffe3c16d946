// Validation of tokens that a Keystone issued, beside ours, from memory.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { TestKeystone } from '../test/support/keystone-tokens.ts';
import { administrator, logIn, loginBody, makeData, memberIds, memberTokens } from './gatehouse.ts';
import type { LoadRequest } from './load.ts';
import type { Figure } from './report.ts';
import { contender, emptyRow, measureBesideEmpty, ratioToEmpty, type Scenario } from './scenarios.ts';

export const foreignTokens: Scenario = async (services, pace) => {
  const scenario = 'foreign-tokens';
  const keystone = new TestKeystone();
  try {
    const settings = { GATEHOUSE_IDENTITY_KEYSTONE_FERNET_KEYS: keystone.fernetKeys };
    const data = { ...(await makeData({ users: services.sizes.few, revocations: 0 })), settings };
    const service = await services.serve(data);
    const { url } = service;
    const admin = await logIn(url, loginBody(administrator));
    const db = new DatabaseSync(join(data.folder, 'identity.sqlite'), { readOnly: true });
    const { id: project } = db.prepare(`select id from projects where name = 'admin' and is_domain = 0`).get() as { id: string };
    db.close();
    const requests = (tokens: readonly string[]): LoadRequest[] =>
      tokens.map((token) => ({
        method: 'GET',
        path: '/v3/auth/tokens',
        headers: { 'X-Auth-Token': admin, 'X-Subject-Token': token },
      }));
    const people = memberIds(data.folder);
    const foreign = (count: number): string[] =>
      Array.from({ length: count }, (_, index) => keystone.ofProject(people[index % people.length]!, project));
    const contenders = [
      contender('ours', service, requests(await memberTokens(url, data.folder))),
      contender('of Keystone', service, requests(foreign(people.length))),
    ];
    const measurements = await measureBesideEmpty(contenders, pace);
    const ratio = measurements.ratio('of Keystone', 'ours');
    const beside: Figure = {
      scenario,
      what: 'tokens of Keystone, beside ours',
      figure: `${ratio.toFixed(2)} of ours`,
      target: 'at least 0.5',
      ok: ratio >= 0.5,
    };
    await services.end(data);
    return [
      emptyRow(scenario, measurements),
      ...contenders.map(({ name }) => ratioToEmpty(scenario, measurements, name)),
      beside,
    ];
  } finally {
    keystone.remove();
  }
};
