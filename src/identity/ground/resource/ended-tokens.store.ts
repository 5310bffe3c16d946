// When tokens ended the last time (`tokens_ended_at`), as a value of an update.
import { type RawBuilder, sql } from 'kysely';

/** This time, in milliseconds, if there is no later one: a clock may have been set back. */
export const endedAt = (time: number): RawBuilder<number> =>
  sql<number>`case when coalesce(tokens_ended_at, 0) > ${time} then tokens_ended_at else ${time} end`;
