// Schema parts that several modules share.
import { type Schema, t } from '../../platform/http/index.ts';

export const flag: Schema<'true' | 'false' | undefined> = t.oneOf('true', 'false') as never;
/** A schema with a text, for those whose function takes none. */
export const described = <T>(schema: Schema<T>, description: string): Schema<T> => ({ ...schema, description });
export const ForceQuery = t.object({}, { force: described(flag, 'true: also if something depends on it.') });
/** For requests that need no body. */
export const EmptyBody = t.object({});
/** A name that users give to a key or DID. */
export const Alias = t.string({ minLength: 1, maxLength: 100, pattern: '^[^\\u0000-\\u001f\\u007f]+$' });

/** OpenAPI documentation of idempotent requests. */
export const IDEMPOTENT = {
  headers: { 'Idempotency-Key': 'A request that is repeated with the same key within a day creates nothing twice.' },
} as const;
export const CREATED = { ...IDEMPOTENT, replyHeaders: { Location: 'The address of the new resource.' } } as const;

export const time = (milliseconds: number): string => new Date(milliseconds).toISOString();

t.name({ EmptyBody });
