// A Postman collection: its checks, and newman's results.

export interface Item {
  readonly name: string;
  readonly id?: string;
  readonly item?: readonly Item[];
  readonly request?: { readonly url: unknown };
  readonly event?: readonly { readonly listen: string; readonly script?: { readonly exec?: readonly string[] } }[];
}

export interface Collection {
  readonly info: { readonly name: string };
  readonly item: readonly Item[];
}

/** newman's report on one request. */
export interface Execution {
  readonly item: { readonly id: string };
  readonly assertions?: readonly { readonly error?: unknown }[];
}

export interface Failure {
  readonly source?: { readonly name?: string };
  readonly error: { readonly message: string };
}

export interface Folder {
  readonly name: string;
  readonly checks: number;
  readonly passed: number;
}

const OUTSIDE = '(no folder)';
const TOKEN_REQUEST = 'Get Token';

/** The collection with an id for every request, to find its folder, and with our URL for token requests. */
export function prepare(collection: Collection, tokenUrl: string): Collection {
  const prepared = (item: Item, id: string): Item => {
    if (item.item) return { ...item, item: item.item.map((inner, at) => prepared(inner, `${id}.${at}`)) };
    const isToken = item.name === TOKEN_REQUEST && item.request !== undefined;
    return { ...item, id, ...(isToken ? { request: { ...item.request, url: tokenUrl } } : {}) };
  };
  return { ...collection, item: collection.item.map((item, at) => prepared(item, String(at))) };
}

/** Counts the checks in the collection, so that a check that does not run is noticed. */
export function countChecks(items: readonly Item[]): number {
  return items.reduce((sum, { item = [], event = [] }) => {
    const lines = event.filter(({ listen }) => listen === 'test').flatMap(({ script }) => script?.exec ?? []);
    const own = lines.filter((line) => /^\s*pm\.test\(/.test(line)).length;
    return sum + own + countChecks(item);
  }, 0);
}

/** By folder, in the order of the collection; requests without a folder come last. */
export function tally({ item: items }: Collection, executions: readonly Execution[]): Folder[] {
  const passed = new Map<string, number>();
  for (const { item, assertions = [] } of executions) {
    const top = item.id.split('.')[0]!;
    passed.set(top, (passed.get(top) ?? 0) + assertions.filter(({ error }) => error === undefined).length);
  }
  const rows = items.map((item, at) => ({
    isFolder: item.item !== undefined,
    name: item.name,
    checks: countChecks([item]),
    passed: passed.get(String(at)) ?? 0,
  }));
  const outside = rows.filter(({ isFolder }) => !isFolder);
  const sum = (key: 'checks' | 'passed'): number => outside.reduce((total, row) => total + row[key], 0);
  return [
    ...rows.filter(({ isFolder }) => isFolder).map(({ name, checks, passed }) => ({ name, checks, passed })),
    ...(outside.length > 0 ? [{ name: OUTSIDE, checks: sum('checks'), passed: sum('passed') }] : []),
  ];
}

/** Without dates and durations, so that the page changes only when a result does. */
export function resultPage(
  folders: readonly Folder[],
  { newman, name, hash }: { newman: string; name: string; hash: string },
): { page: string; summary: string; ok: boolean } {
  const sum = (key: 'checks' | 'passed'): number => folders.reduce((total, folder) => total + folder[key], 0);
  const [checks, passed] = [sum('checks'), sum('passed')];
  const summary = `${checks} checks: ${passed} passed, ${checks - passed} FAILED`;
  const rows = folders.map((folder) => `| ${folder.name} | ${folder.checks} | ${folder.passed} |`);
  const page = `# Microsoft's SCIM collection: results

Written by \`conformance/scim/microsoft.ts\`. The Postman collection "${name}" of Microsoft's SCIM reference code, its checks unchanged,
run by \`${newman}\` through a provisioning connection to an empty domain. The file (SHA-256 \`${hash}\`)
is not part of this repository.

${summary}.

| Folder | Checks | Passed |
|---|---|---|
${rows.join('\n')}

"${TOKEN_REQUEST}" is about a service of Microsoft's reference server that hands out tokens to anybody, which SCIM does not have and Gatehouse
must not have. The runner answers that one request itself, with the token of the connection; every other request goes to Gatehouse.
`;
  return { page, summary, ok: checks === passed };
}
