// Untrusted JSON.
import { isUnsafeJson } from '../jose/index.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined if it is not a JSON object in UTF-8, or unsafe. */
export function parseObject(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isObject(value) && !isUnsafeJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
