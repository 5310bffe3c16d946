// A reporter of Node's test runner: one line with the file of every test that failed.
interface Failure {
  readonly type: string;
  readonly data: { readonly file?: string; readonly todo?: boolean | string };
}

export default async function* failedFiles(events: AsyncIterable<Failure>): AsyncGenerator<string> {
  for await (const { type, data } of events) if (type === 'test:fail' && !data.todo && data.file) yield `${data.file}\n`;
}
