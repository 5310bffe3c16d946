// A reporter of Node's test runner: one line with the file of every test that failed.
interface Failure {
  readonly type: string;
  readonly data: {
    readonly file?: string;
    readonly name?: string;
    readonly todo?: boolean | string;
    readonly details?: { readonly error?: { readonly failureType?: string } };
  };
}

/**
 * A suite fails with its tests, and is of the file that called `describe`, which may be a helper: only the tests themselves count. A failure
 * without a file is named, too: it must not look as if there were none.
 */
export default async function* failedFiles(events: AsyncIterable<Failure>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== 'test:fail' || data.todo || data.details?.error?.failureType === 'subtestsFailed') continue;
    yield `${data.file ?? data.name ?? 'unknown'}\n`;
  }
}
