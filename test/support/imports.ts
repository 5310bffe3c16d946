// Runs imports into a test service, through its API.
import { type Report, runImport, runningService, SOURCES } from '../../src/import/index.ts';
import type { TestApi } from './api.ts';

export interface ImportOptions {
  readonly apply?: boolean;
  readonly merge?: readonly string[];
  readonly name?: string;
  readonly domain?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, string>>;
  readonly token?: string;
}

export async function importInto(api: TestApi, kind: string, location: string, options: ImportOptions = {}): Promise<Report> {
  const { apply = true, merge = [], name = kind, domain, env = {}, values = {}, token = api.adminToken } = options;
  const source = await (await SOURCES[kind]!()).open(location, { values, env });
  const target = await runningService({ url: api.url, token, outboundAllow: [] });
  try {
    return await runImport(source, target, {
      run: { source: name, kind, rehearsal: !apply, merge, domain_id: domain },
      signal: new AbortController().signal,
      onProgress() {},
    });
  } finally {
    await target.close();
    await source.close();
  }
}

interface Listed {
  readonly total: number;
  readonly lines: readonly { readonly what: string; readonly why: string }[];
}

/** The report as a program reads it. */
export interface ReportJson {
  readonly kinds: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly administrators: Listed;
  readonly not_taken: Listed;
  readonly names: Listed;
  readonly left_out: Listed;
  readonly by_hand: Listed;
}

export const jsonOf = (report: Report): ReportJson => report.json() as unknown as ReportJson;

/** The counts of a kind that are not 0. */
export const countsOf = (report: Report, kind: string): Record<string, number> =>
  Object.fromEntries(Object.entries(jsonOf(report).kinds[kind] ?? {}).filter(([, count]) => count > 0));
