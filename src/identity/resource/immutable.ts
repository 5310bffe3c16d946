// The `immutable` option of projects, domains and roles: such a thing can only have that option taken away, and nothing else with it.

import { fail } from '../faults.ts';
import { parsed } from './attributes.ts';

interface Body {
  readonly options?: { readonly immutable?: boolean | null | undefined } | undefined;
}

export function refuseImmutable(
  kind: string,
  row: { id: string; options: string },
  action: 'update' | 'delete',
  body?: Body,
): void {
  if (!parsed<{ immutable?: boolean }>(row.options).immutable) return;
  const options = Object.keys(body ?? {}).join() === 'options' ? body?.options : undefined;
  if (options?.immutable !== false && options?.immutable !== null) fail('resource.immutable', { action, kind, id: row.id });
}
