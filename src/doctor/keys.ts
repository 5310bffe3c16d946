// The master key and what it opens; the age of the keys.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { existingMasterKeys, KEY_FILE } from '../data-folder.ts';
import { readKeyAges } from '../identity/operations/administration/index.ts';
import { SEALED_COLUMNS as IDENTITY_SEALED } from '../identity/operations/jobs/index.ts';
import { createSeal } from '../platform/seal/index.ts';
import { checkSealed, type SealedReport } from '../platform/sealed/index.ts';
import { readAsEveryone } from '../wallet/access/index.ts';
import { SEALED_COLUMNS as WALLET_SEALED } from '../wallet/jobs/index.ts';
import type { DatabaseReport } from './databases.ts';
import { type Deployment, daysBetween, type Finding, fail, ok, reasonOf, warn } from './finding.ts';

const KEY_DAYS = 365;
const DAY = 86_400;

type Seal = ReturnType<typeof createSeal>;

/** Undefined without a key. */
export function sealOf(deployment: Deployment, report: DatabaseReport): Seal | undefined {
  const keys = existingMasterKeys(deployment.shared, deployment.folder, deployment[report.name]?.databaseUrl !== undefined);
  return keys.length === 0 ? undefined : createSeal(keys);
}

const openAll = ({ name, server, database }: DatabaseReport, seal: Seal): Promise<SealedReport> => {
  const columns = name === 'identity' ? IDENTITY_SEALED : WALLET_SEALED;
  if (name === 'identity') return checkSealed(database!.read, columns, seal);
  return readAsEveryone(server ? 'postgres' : 'sqlite', database!.read, (reader) => checkSealed(reader, columns, seal));
};

export async function checkMasterKey(deployment: Deployment, reports: readonly DatabaseReport[]): Promise<Finding[]> {
  const check = 'master-key';
  const { shared, folder, machine } = deployment;
  let [count, formerCount] = [0, 0];
  for (const report of reports) {
    let seal: Seal | undefined;
    try {
      seal = sealOf(deployment, report);
    } catch (error) {
      return [
        fail(check, `GATEHOUSE_MASTER_KEY ${(error as Error).message}`, 'give the key as `gatehouse master-key new` prints it'),
      ];
    }
    if (!report.database) continue;
    if (!seal)
      return [
        fail(
          check,
          'there is no master key',
          `give GATEHOUSE_MASTER_KEY, or put ${KEY_FILE} back from a backup: nothing stored can be opened`,
        ),
      ];
    const found = await openAll(report, seal);
    if (found.underOtherKeys > 0)
      return [
        fail(
          check,
          `${found.underOtherKeys} secrets of ${report.name} are encrypted with another key`,
          'give that key, too, by GATEHOUSE_OLD_MASTER_KEYS; then run: gatehouse master-key rotate',
        ),
      ];
    if (found.damaged.length > 0)
      return [
        fail(
          check,
          `${found.damaged.length} secrets of ${report.name} are damaged: ${found.damaged.slice(0, 5).join(', ')}`,
          'restore these rows from a backup, or delete them',
        ),
      ];
    count += found.count;
    formerCount += found.count - (found.byMasterKey[seal.keyId] ?? 0);
  }
  if (formerCount > 0)
    return [
      warn(check, `${formerCount} of ${count} secrets are encrypted with a former key`, 'run: gatehouse master-key rotate'),
    ];
  if (shared.oldMasterKeys && count > 0)
    return [
      warn(
        check,
        'no secret is encrypted with the keys in GATEHOUSE_OLD_MASTER_KEYS',
        'remove them once the sessions of the wallet node have ended, unless a rotation is under way',
      ),
    ];
  const days = shared.masterKey || count === 0 ? 0 : daysBetween(statSync(join(folder, KEY_FILE)).mtimeMs, machine.now());
  if (days > KEY_DAYS) return [warn(check, `it is ${days} days old`, 'run: gatehouse master-key rotate')];
  return [ok(check, `it opens all ${count} secrets`)];
}

export async function checkKeyAges({ identity, machine }: Deployment, reports: readonly DatabaseReport[]): Promise<Finding[]> {
  const database = reports.find(({ name }) => name === 'identity')?.database;
  if (!identity || !database) return [];
  const now = machine.now() / 1000;
  try {
    const { token, openid, issuer } = await readKeyAges(database.read);
    const ageOf = (at: number): number => Math.max(0, Math.floor((now - at) / DAY));
    const tokenDays = token === undefined ? 0 : ageOf(token);
    const openidDays = openid === undefined ? 0 : ageOf(openid);
    const issuerDays = issuer === undefined || identity.issuerKeyFile ? 0 : ageOf(issuer);
    return [
      tokenDays > identity.tokenKeyDays + 1
        ? warn(
            'token-key',
            `it is ${tokenDays} days old and should be replaced after ${identity.tokenKeyDays}`,
            'start the service, which replaces it, and look for "sweep failed" in its log',
          )
        : ok('token-key', `${tokenDays} days old`),
      openidDays > KEY_DAYS
        ? warn('openid-keys', `they are ${openidDays} days old`, 'run: gatehouse keys rotate')
        : ok('openid-keys', openid === undefined ? 'made with the first sign-in' : `${openidDays} days old`),
      issuerDays > KEY_DAYS
        ? warn('issuer-key', `it is ${issuerDays} days old`, 'run: gatehouse issuer-key rotate')
        : ok(
            'issuer-key',
            identity.issuerKeyFile
              ? 'given by GATEHOUSE_IDENTITY_ISSUER_KEY_FILE'
              : issuer === undefined
                ? 'made with its first use'
                : `${issuerDays} days old`,
          ),
    ];
  } catch (error) {
    return [fail('token-key', `the keys cannot be read (${reasonOf(error)})`, 'restore a backup')];
  }
}
