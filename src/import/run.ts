// Reads a source kind by kind, in the order of dependence, and gives batches of records to the target.
import { setTimeout } from 'node:timers/promises';
import { IMPORT_ORDER, type ImportKindName, type NewRun } from '../identity/provisioning/import/index.ts';
import { Report } from './report.ts';
import { type OpenSource, Unreadable } from './source.ts';
import type { Target } from './target.ts';

const BATCH = 200;
/** A record with many passwords or a long profile makes a batch shorter. */
const BATCH_BYTES = 4 * 1024 * 1024;
const REPORT_MS = 5_000;
/** Regions and trusts, of which there are few. Sources read what there is much of in its order. */
const MOST_WAITING = 10_000;

interface Keyed {
  readonly key: string;
}

export interface RunOptions {
  readonly run: NewRun;
  /** Only these kinds; all by default. */
  readonly only?: ReadonlySet<string> | undefined;
  readonly signal: AbortSignal;
  /** Called after each batch. */
  onProgress(text: string): void;
}

/** Ends with the report, whether the source was read to its end or not. */
export async function runImport(source: OpenSource, target: Target, options: RunOptions): Promise<Report> {
  const { run, only, signal, onProgress } = options;
  const report = new Report({ source: run.source, kind: run.kind, about: source.about, rehearsal: run.rehearsal });
  const id = await target.begin(run);
  let reportedAt = Date.now();

  /** Of the kind that is being read: they need one that comes after them. They are tried again at its end. */
  const waiting = new Map<string, unknown>();

  async function take(kind: ImportKindName, records: readonly Keyed[]): Promise<void> {
    const byKey = new Map(records.map((record) => [record.key, record]));
    for (const one of records.length > 0 ? await target.take(id, kind, records) : []) {
      const isEarly = one.needs === kind && waiting.size < MOST_WAITING;
      if (isEarly) waiting.set(one.key, byKey.get(one.key));
      else report.taken(kind, one);
    }
    report.read(kind, records.length);
    onProgress(report.progress(kind));
    if (Date.now() - reportedAt < REPORT_MS) return;
    await target.report(id, report.kept());
    reportedAt = Date.now();
  }

  async function readKind(kind: ImportKindName): Promise<void> {
    const reader = source.readers[kind];
    if (!reader || (only && !only.has(kind))) return;
    let batch: Keyed[] = [];
    let bytes = 0;
    // Of two batches, one is stored while the next one is read.
    let storing: Promise<void> = Promise.resolve();
    for await (const one of reader()) {
      if (signal.aborted) break;
      if (one instanceof Unreadable) {
        report.unreadable(kind, one);
        continue;
      }
      batch.push(one);
      bytes += JSON.stringify(one).length;
      if (batch.length < BATCH && bytes < BATCH_BYTES) continue;
      await storing;
      const full = batch;
      storing = take(kind, full);
      // It is awaited before the next one; until then a failure is nobody's.
      storing.catch(() => {});
      [batch, bytes] = [[], 0];
      // Others have their turn, also where the source is a file.
      await setTimeout(0);
    }
    await storing;
    if (!signal.aborted) await take(kind, batch);
  }

  /** As long as some of them are taken. */
  async function takeWaiting(kind: ImportKindName): Promise<void> {
    for (let before = Number.POSITIVE_INFINITY; waiting.size > 0 && !signal.aborted; ) {
      const isLast = waiting.size === before;
      before = waiting.size;
      const records = [...waiting.values()];
      waiting.clear();
      for (let at = 0; at < records.length; at += BATCH)
        for (const one of await target.take(id, kind, records.slice(at, at + BATCH)))
          if (one.needs === kind && !isLast)
            waiting.set(
              one.key,
              records.find((record) => (record as Keyed).key === one.key),
            );
          else report.taken(kind, one);
    }
    waiting.clear();
  }

  try {
    for (const kind of IMPORT_ORDER) {
      if (!signal.aborted) await readKind(kind);
      await takeWaiting(kind);
    }
    if (!signal.aborted && source.remarks) for await (const remark of source.remarks()) report.remark(remark);
    report.settings((await source.settings?.()) ?? []);
  } catch (error) {
    await target.report(id, report.kept(), 'stopped').catch(() => {});
    throw error;
  }
  await target.report(id, report.kept(), signal.aborted ? 'stopped' : 'finished');
  return report;
}
