// `gatehouse doctor`: checks a deployment and says what to mend. It changes nothing and shows no secret.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkTogether } from '../identity/ground/service-settings/index.ts';
import { identitySettings } from '../identity/ground/settings/index.ts';
import { type Environment, load, refuseUnknownKeys } from '../platform/config/index.ts';
import { checkBackupFolder } from '../scheduled-backups.ts';
import { checkClientCertificates, checkDatabases, checkWallet, tlsOf, workersOf } from '../setting-rules.ts';
import { sharedSettings } from '../settings.ts';
import { walletSettings } from '../wallet/ground/settings.ts';
import { checkProvider, checkPublicAddress, checkService } from './addresses.ts';
import { checkBackups } from './backups.ts';
import { checkCertificate, checkTrustAnchors } from './certificates.ts';
import { checkClock, type DatabaseReport, reportDatabase, type ServiceName } from './databases.ts';
import { checkDataFolder, checkDisk, checkFirstPassword, checkSecretFiles, checkSettingsFiles } from './files.ts';
import { type Deployment, type Finding, fail, type Machine, ok, reasonOf } from './finding.ts';
import { checkAdministrators, checkProxies, checkWeakSettings } from './hardening.ts';
import { checkKeyAges, checkMasterKey } from './keys.ts';
import { thisMachine } from './machine.ts';
import { checkMailTarget } from './mail.ts';
import { checkReplicas } from './replicas.ts';
import { checkStored, readStored } from './stored-settings.ts';

export { exitStatusOf, type Finding, type Machine } from './finding.ts';
export { thisMachine } from './machine.ts';

export interface DoctorOptions {
  readonly env: Environment;
  /** Only this service is checked. By default those that belong to the deployment. */
  readonly service?: ServiceName | undefined;
  readonly machine?: Machine;
}

/** Which services belong to this deployment: the one named, or those that have a database or settings. */
function deploymentOf({ env, service, machine = thisMachine }: DoctorOptions): Deployment {
  refuseUnknownKeys(env, sharedSettings, identitySettings, walletSettings);
  const [shared, identity, wallet] = [load(sharedSettings, env), load(identitySettings, env), load(walletSettings, env)];
  const folder = resolve(shared.dataDir);
  const isHere = (name: string): boolean => existsSync(`${folder}/${name}.sqlite`);
  const hasWallet = service
    ? service === 'wallet'
    : wallet.databaseUrl !== undefined || wallet.url !== undefined || isHere('wallet');
  const hasIdentity = service
    ? service === 'identity'
    : identity.databaseUrl !== undefined || isHere('identity') || wallet.oidcIssuer === undefined;
  return {
    env,
    shared,
    identity: hasIdentity ? identity : undefined,
    wallet: hasWallet ? wallet : undefined,
    // Only then is it sure that no identity service runs beside it.
    isWalletAlone: service === 'wallet' && identity.databaseUrl === undefined && isHere('wallet') && !isHere('identity'),
    folder,
    machine,
  };
}

/** The rules that a start applies before it creates anything. */
function checkSettings({ shared, identity, wallet, folder, isWalletAlone }: Deployment): Finding {
  tlsOf(shared);
  const options = { shared, ...(identity ? { identity } : {}), ...(wallet ? { wallet } : {}) };
  checkDatabases(options, workersOf(shared));
  checkClientCertificates(options);
  if (identity) checkTogether(identity, folder);
  if (wallet) checkWallet(wallet, isWalletAlone);
  checkBackupFolder(shared, folder, { identity, wallet });
  return ok('settings', [identity && 'identity service', wallet && 'wallet node'].filter(Boolean).join(' and '));
}

/** A check that cannot be made is a failure of what it checks, and the others are made. */
async function guarded(check: string, run: () => Promise<Finding[]> | Finding[]): Promise<Finding[]> {
  try {
    return await run();
  } catch (error) {
    return [fail(check, `it could not be checked (${reasonOf(error)})`, 'run this as the user of the service')];
  }
}

/** If it cannot be read, the settings of the environment are checked. */
async function storedOf(deployment: Deployment, reports: readonly DatabaseReport[]) {
  try {
    return { report: await readStored(deployment, reports), findings: [] };
  } catch (error) {
    const why = `what is stored cannot be read (${reasonOf(error)})`;
    return { report: undefined, findings: [fail('stored.valid', why, 'look at the log of the database')] };
  }
}

export async function examine(options: DoctorOptions): Promise<Finding[]> {
  let deployment: Deployment;
  let settings: Finding;
  try {
    deployment = deploymentOf(options);
    settings = checkSettings(deployment);
  } catch (error) {
    // Without settings nothing else is known.
    return [fail('settings', reasonOf(error), 'correct it; `gatehouse config` shows what is in force')];
  }
  const names = (['identity', 'wallet'] as const).filter((name) => deployment[name]);
  const reports: DatabaseReport[] = [];
  try {
    for (const name of names) reports.push(await reportDatabase(name, deployment));
    const services = await Promise.all(names.map((name) => checkService(name, deployment)));
    const stored = await storedOf(deployment, reports);
    /** What is stored is in force under the environment. */
    const inForce = { ...deployment, identity: stored.report?.config ?? deployment.identity };
    const groups: [string, () => Promise<Finding[]> | Finding[]][] = [
      ['settings-files', () => checkSettingsFiles(deployment)],
      ['data-folder', () => checkDataFolder(deployment)],
      ['secret-files', () => checkSecretFiles(deployment)],
      ['first-password', () => checkFirstPassword(deployment)],
      ['disk', () => checkDisk(deployment)],
      ['database', () => reports.flatMap(({ findings }) => findings)],
      ['stored', () => [...stored.findings, ...checkStored(deployment, stored.report)]],
      ['replicas', () => checkReplicas(reports)],
      ['clock', () => checkClock(deployment, reports)],
      ['master-key', () => checkMasterKey(deployment, reports)],
      ['keys', () => checkKeyAges(deployment, reports)],
      ['service', () => services.map(({ finding }) => finding)],
      [
        'public-address',
        () => Promise.all(reports.map((report, index) => checkPublicAddress(report, deployment, services[index]!.state))),
      ],
      ['tls-certificate', () => checkCertificate(deployment)],
      ['trusted-proxies', () => checkProxies(deployment)],
      ['openid-provider', () => checkProvider(deployment)],
      ['trust-anchors', () => checkTrustAnchors(deployment)],
      ['mail', () => checkMailTarget(inForce)],
      ['backup', () => checkBackups(deployment, reports)],
      ['administrators', () => checkAdministrators(reports)],
      ['weak', () => checkWeakSettings(inForce)],
    ];
    const findings = [settings];
    for (const [check, run] of groups) findings.push(...(await guarded(check, run)));
    return findings;
  } finally {
    for (const { database } of reports) await database?.close();
  }
}
