// Events as a file. They are read in parts, so that each request is short and the person sees how far it is.
import { api } from '../session.ts';

export type FileFormat = 'csv' | 'ndjson';

export interface EventFile {
  readonly content: Blob;
  readonly name: string;
  readonly count: number;
  /** There are more events than the file has. */
  readonly isCut: boolean;
}

export interface ExportOptions {
  readonly format: FileFormat;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  onProgress(count: number): void;
}

const PART = 5000;
/** The page keeps the file in memory until it is whole. */
export const MOST_EVENTS = 200_000;
const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;
const NAMES = { csv: 'audit-events.csv', ndjson: 'audit-events.jsonl' } as const;

/** The beginnings of the records in a CSV. Texts in quotes may have lines of their own. */
function recordsOf(csv: string): number[] {
  const starts = csv === '' ? [] : [0];
  let isQuoted = false;
  for (let at = 0; at < csv.length - 1; at++) {
    if (csv[at] === '"') isQuoted = !isQuoted;
    else if (csv[at] === '\n' && !isQuoted) starts.push(at + 1);
  }
  return starts;
}

/** How many events a part has, and the id of the last one, which is the first column. */
function endOf(format: FileFormat, text: string, hasHead: boolean): { count: number; last: string | undefined } {
  if (format === 'ndjson') {
    const lines = text.split('\n').slice(0, -1);
    return { count: lines.length, last: lines.length === 0 ? undefined : (JSON.parse(lines.at(-1)!) as { id: string }).id };
  }
  const starts = recordsOf(text).slice(hasHead ? 1 : 0);
  const last = starts.at(-1);
  const id = last === undefined ? undefined : text.slice(last, text.indexOf(',', last)).replaceAll('"', '');
  return { count: starts.length, last: id };
}

export async function readEventFile({ format, query, signal, onProgress }: ExportOptions): Promise<EventFile> {
  const parts: string[] = [];
  let count = 0;
  let marker: string | undefined;
  let isCut = false;
  for (;;) {
    const text =
      (await api.get<string | undefined>('/v3/OS-AUDIT/events', {
        query: { ...query, format, limit: PART, marker },
        headers: { Accept: TYPES[format] },
        signal,
      })) ?? '';
    const end = endOf(format, text, marker === undefined);
    parts.push(text);
    count += end.count;
    onProgress(count);
    if (end.count < PART) break;
    isCut = count >= MOST_EVENTS;
    if (isCut) break;
    marker = end.last;
  }
  return { content: new Blob(parts, { type: TYPES[format] }), name: NAMES[format], count, isCut };
}
