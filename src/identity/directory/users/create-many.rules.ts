// Creates people in one transaction: what many of them cost is rows, not transactions.
import { setImmediate } from 'node:timers/promises';
import { isUniqueViolation } from '../../../platform/database/index.ts';
import { Fault } from '../../../platform/faults/index.ts';
import type { DirectoryGuard } from '../../access/context/index.ts';
import type { Caller } from '../../access/rules/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { UserRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, failOnBrokenReference } from '../../ground/resource/index.ts';
import { newUserValues } from './create.rules.ts';
import { type UserNames, type WantedName, wantedName } from './names.rules.ts';
import type { Person } from './profile.ts';
import type { ReferenceChecks } from './references.ts';
import { insertUserRows, type NewValues } from './rows.rules.ts';

/** Somebody without a password. */
export interface NewPerson {
  readonly name: string;
  readonly enabled: boolean;
  readonly person: Person;
}

/** For each, in their order: the row, or why there is none. */
export type Created = readonly (UserRow | Fault)[];

const ATTEMPTS = 3;
const READ_AT_ONCE = 10;

/** Ends a transaction in which there is nothing to store. */
class NothingToStore extends Error {
  readonly refused: readonly Fault[];
  constructor(refused: readonly Fault[]) {
    super('nobody can be created');
    this.refused = refused;
  }
}

const isFault = (one: unknown): one is Fault => one instanceof Fault;

interface ReadPerson {
  readonly values: NewValues;
  readonly name: WantedName;
}

/** Takes processor time, so others get their turn in between. */
async function readPeople(people: readonly (NewPerson | Fault)[], domainId: string): Promise<(ReadPerson | Fault)[]> {
  const read: (ReadPerson | Fault)[] = [];
  for (const one of people) {
    if (read.length % READ_AT_ONCE === READ_AT_ONCE - 1) await setImmediate();
    if (isFault(one)) read.push(one);
    else {
      const values = newUserValues({ name: one.name, enabled: one.enabled }, domainId, { person: one.person });
      read.push({ values, name: wantedName(values.id, values.name) });
    }
  }
  return read;
}

/** Up to so many that are refused, counted from 1. */
function upTo<T>(most: number, outcomes: readonly (T | Fault)[]): (T | Fault)[] {
  let refused = 0;
  const end = outcomes.findIndex((one) => isFault(one) && ++refused === most);
  return outcomes.slice(0, end < 0 ? undefined : end + 1);
}

export function createManyUsers({
  clock,
  change,
  names,
  checks,
  directory,
}: Pick<Deps, 'clock' | 'change'> & {
  readonly names: UserNames;
  readonly checks: ReferenceChecks;
  readonly directory: DirectoryGuard;
}) {
  async function insert(
    transaction: Change,
    domainId: string,
    people: readonly (ReadPerson | Fault)[],
    mostRefused: number,
  ): Promise<Created> {
    await directory.forbidNew(domainId, transaction.tx);
    const wanted = people.flatMap((one) => (isFault(one) ? [] : [one.name]));
    const refusals = await names.refusals(transaction.tx, domainId, wanted);
    const outcomes = upTo<NewValues>(
      mostRefused,
      people.map((one) => (isFault(one) ? one : (refusals.get(one.name.id) ?? one.values))),
    );
    const values = outcomes.flatMap((one) => (isFault(one) ? [] : [one]));
    if (values.length === 0) throw new NothingToStore(outcomes.filter(isFault));
    // Two that store the same names at the same time wait for each other in one direction only.
    values.sort((one, other) => (one.name_key < other.name_key ? -1 : 1));
    const stored = await failOnBrokenReference(
      () => fail('domain.not_found', { id: domainId }),
      () => insertUserRows(transaction, clock, values),
    );
    const rows = new Map(stored.map((row) => [row.id, row]));
    return outcomes.map((one) => (isFault(one) ? one : rows.get(one.id)!));
  }

  /**
   * Whoever can be created is; the others get the reason. A fault among the people is already one. After so many reasons, if not 0, the rest is left out. Undefined
   * when others create the same people at the same moment: nothing is stored, and each has to be tried alone.
   */
  return async (
    caller: Caller,
    domainId: string,
    people: readonly (NewPerson | Fault)[],
    mostRefused: number,
  ): Promise<Created | undefined> => {
    await checks.domainOfNew(caller, domainId);
    await directory.forbidNew(domainId);
    const read = await readPeople(people, domainId);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++)
      try {
        return await change(caller, (transaction) => insert(transaction, domainId, read, mostRefused));
      } catch (error) {
        if (error instanceof NothingToStore) return error.refused;
        if (!isUniqueViolation(error)) throw error;
      }
    return undefined;
  };
}
