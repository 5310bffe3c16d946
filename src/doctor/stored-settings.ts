// Settings that administrators have stored: without effect, overridden, or such that the next start fails.

import { inspectDomains, type StoredDomainReport } from '../identity/directory/domain-settings/index.ts';
import type { Reader } from '../identity/ground/database/index.ts';
import { checkTogether, inspectStored, type StoredReport } from '../identity/ground/service-settings/index.ts';
import { identitySettings } from '../identity/ground/settings/index.ts';
import { ConfigError, type EffectiveSetting, effectiveSettings } from '../platform/config/index.ts';
import type { DatabaseReport } from './databases.ts';
import { type Deployment, type Finding, fail, ok, warn } from './finding.ts';
import { sealOf } from './keys.ts';

const FORGET = 'gatehouse settings forget KEY';
const TROUBLES = { unknown: 'this version does not know it', invalid: 'it is not valid here' };

interface FullReport extends StoredReport {
  /** Undefined if the files of domains are wrong, which the start says. */
  readonly domains: StoredDomainReport | undefined;
}

async function readDomains(
  reader: Reader,
  { config }: StoredReport,
  settings: EffectiveSetting[],
  open: (...sealed: [string, string]) => string,
) {
  try {
    return await inspectDomains(reader, config, settings, open);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** Undefined if there is nothing to read. */
export async function readStored(deployment: Deployment, reports: readonly DatabaseReport[]): Promise<FullReport | undefined> {
  const { identity: config, env } = deployment;
  const report = reports.find(({ name }) => name === 'identity');
  if (!config || !report?.database) return undefined;
  let seal: ReturnType<typeof sealOf>;
  try {
    seal = sealOf(deployment, report);
  } catch {
    // master-key says what is wrong with it.
  }
  // Without a key it is known that there is a secret, and that is what the rules about several settings ask.
  const open = (sealed: string, place: string): string => seal?.open(sealed, place).toString() ?? 'sealed';
  const settings = effectiveSettings(env, identitySettings);
  const reader = report.database.read as Reader;
  const ofService = await inspectStored(reader, { config, settings, open });
  const openDomain = (sealed: string, place: string): string => (seal ? open(sealed, place) : '"sealed"');
  return { ...ofService, domains: await readDomains(reader, ofService, settings, openDomain) };
}

export function checkStored({ folder }: Deployment, report: FullReport | undefined): Finding[] {
  if (!report) return [];
  const { stored, config } = report;
  const idle = stored.flatMap(({ key, trouble }) => (trouble ? [`${key} (${TROUBLES[trouble]})`] : []));
  const overridden = stored.flatMap(({ key, trouble, fixedBy }) => (fixedBy && !trouble ? [`${key} (${fixedBy})`] : []));
  return [
    idle.length > 0
      ? warn('stored.valid', `stored without effect: ${idle.join(', ')}`, `start the version that stored it, or: ${FORGET}`)
      : ok('stored.valid', stored.length === 0 ? 'no setting is stored' : `${stored.length} stored`),
    overridden.length > 0
      ? warn(
          'stored.overridden',
          `stored, but the environment or the file of settings says otherwise: ${overridden.join(', ')}`,
          `remove it there, or: ${FORGET}`,
        )
      : ok('stored.overridden', 'none'),
    together(folder, config),
    ...ofDomains(report.domains),
  ];
}

function ofDomains(domains: StoredDomainReport | undefined): Finding[] {
  const check = 'stored.domains';
  if (!domains) return [];
  const { count, idle, broken } = domains;
  const remedy = 'gatehouse settings forget DOMAIN/KEY';
  if (broken.length > 0)
    return [
      fail(check, `what is stored does not fit together, so the directory is taken for away: ${broken.join('; ')}`, remedy),
    ];
  if (idle.length > 0)
    return [warn(check, `stored for domains without effect: ${idle.join(', ')}`, `store it again, or: ${remedy}`)];
  return [ok(check, count === 0 ? 'no setting of a domain is stored' : `${count} stored for domains`)];
}

function together(folder: string, config: StoredReport['config']): Finding {
  const check = 'stored.together';
  try {
    checkTogether(config, folder);
    return ok(check, 'what is stored fits to the environment');
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return fail(
      check,
      `with what is stored, the next start fails: ${error.message}`,
      `change what the environment says, or remove what is stored: ${FORGET}`,
    );
  }
}
