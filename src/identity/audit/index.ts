// Changes that leave an audit event in the same transaction, on the tables of this service.
import type { Change as ChangeOn, RunChange as RunChangeOn } from '../../platform/audit/index.ts';
import type { Tables } from '../database.ts';

export { type Actor, createChanges, theService } from '../../platform/audit/index.ts';
export type Change = ChangeOn<Tables>;
export type RunChange = RunChangeOn<Tables>;
