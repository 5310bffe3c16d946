// Fields of several kinds.
import { t } from '../../../../platform/http/index.ts';

/** Longer and stranger than the API takes: who exists there comes with the name that they have. */
export const key = t.string({ minLength: 1, maxLength: 1000 });
export const id = t.string({ minLength: 1, maxLength: 64, pattern: '^[^/?#\\s\\u0000-\\u001f]+$' });
export const name = t.string({ minLength: 1, maxLength: 1000, pattern: '^[^\\u0000]*\\S[^\\u0000]*$' });
export const text = t.nullable(t.string({ maxLength: 65_536 }));
/** Attributes that the API has no name for. */
export const extra = t.record(t.unknown());
export const options = t.record(t.unknown());
export const seconds = t.integer({ minimum: 0, maximum: 253_402_300_799 });
