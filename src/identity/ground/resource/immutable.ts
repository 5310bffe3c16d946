// The `immutable` option of projects, domains and roles. The only change it allows is to remove the option itself.

import { fail } from '../faults.ts';
import { parseJson } from './attributes.ts';

interface OptionsBody {
  readonly options?: { readonly immutable?: boolean | null | undefined } | undefined;
}

export function refuseImmutable(
  kind: string,
  row: { id: string; options: string },
  action: 'update' | 'delete',
  body?: OptionsBody,
): void {
  if (!parseJson<{ immutable?: boolean }>(row.options).immutable) return;
  const options = Object.keys(body ?? {}).join() === 'options' ? body?.options : undefined;
  if (options?.immutable !== false && options?.immutable !== null) fail('resource.immutable', { action, kind, id: row.id });
}
