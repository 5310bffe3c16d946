// Each message to PostgreSQL costs both sides more than most statements do. A statement whose answer nobody needs waits for the next one of its
// transaction, and both are sent together. If it fails, the next one fails, with its error. Kysely passes on nothing but the text, so the text tells.
import { sql } from 'kysely';

export const WITH_NEXT = '/* with the next */ ';

/** At the beginning of a statement. What is done before the next one of the same transaction may not depend on it, such as reading on another connection. */
export const withNext = sql.raw(WITH_NEXT);

export const goesWithNext = (text: string): boolean => text === 'begin' || text.startsWith(WITH_NEXT);
