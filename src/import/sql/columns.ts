// Values of columns, which each driver gives in its own way.

export function flag(value: unknown): boolean {
  return value === true || value === 1 || value === 1n || value === '1' || value === 't' || value === 'true';
}

export const textOf = (value: unknown): string | undefined =>
  value === null || value === undefined
    ? undefined
    : Buffer.isBuffer(value) || value instanceof Uint8Array
      ? Buffer.from(value).toString()
      : String(value);

/** An object that is stored as text. Undefined if it is damaged. */
export function jsonOf(value: unknown): Record<string, unknown> | undefined {
  const text = textOf(value);
  if (text === undefined || text.trim() === '') return {};
  try {
    const read: unknown = JSON.parse(text);
    if (read === null) return {};
    return typeof read === 'object' && !Array.isArray(read) ? (read as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const TIME = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d))?/;

/** Of a time in UTC, such as `2026-11-19 23:00:00.123456`. Undefined if there is none. */
export function secondsOf(value: unknown): number | undefined {
  const match = TIME.exec(textOf(value) ?? '');
  if (!match) return undefined;
  const time = Date.parse(`${match[1]}T${match[2] ?? '00:00:00'}Z`);
  return Number.isNaN(time) || time < 0 ? undefined : Math.floor(time / 1000);
}
