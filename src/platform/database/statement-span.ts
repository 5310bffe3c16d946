// The span of a statement. Its text has placeholders for all values, so it says nothing about anybody.
import type { SpanOptions } from '../tracing/index.ts';

export function statementSpan(system: 'postgresql' | 'sqlite', text: string): [name: string, options: SpanOptions] {
  const [, verb = 'query'] = /^\s*(\w+)/.exec(text) ?? [];
  return [verb, { kind: 'client', needsParent: true, attributes: { 'db.system.name': system, 'db.query.text': text } }];
}
