// JSON of strangers.

/** Real documents have less than ten levels. Thousands of them would exhaust the stack of whoever walks over the value. */
const MAX_DEPTH = 32;

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1));
}

/** Undefined when it is not a JSON object in UTF-8, or nested beyond reason. */
export function parseObject(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isObject(value) && !isDeeper(value, MAX_DEPTH) ? value : undefined;
  } catch {
    return undefined;
  }
}
