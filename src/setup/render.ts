// A plan as text, as JSON, and as a saved plan.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { SetupDocument } from './document.ts';
import { definitionOf, labelOf } from './kinds/index.ts';
import type { Action, Change, Json } from './model.ts';
import type { Plan } from './plan.ts';
import { SetupError, shown, shownValue } from './text.ts';

const SIGNS: Readonly<Record<Action, string>> = { create: '+', update: '~', delete: '-' };

export function changeLines({ action, fields, ...change }: Change): string[] {
  const { absent } = definitionOf(change.kind);
  const valueText = (value: Json | undefined): string => (value === null && absent ? absent : shownValue(value));
  const details = Object.entries(fields)
    .filter(([, { to }]) => action === 'update' || (to !== null && to !== undefined))
    .map(([name, { from, to }]) =>
      action === 'create'
        ? `    ${shown(name, false)}: ${shownValue(to)}`
        : `    ${shown(name, false)}: ${valueText(from)} -> ${valueText(to)}`,
    );
  return [`${SIGNS[action]} ${labelOf({ ...change })}`, ...details];
}

export function summaryOf(changes: readonly Change[], words: Readonly<Record<Action, string>>): string {
  const count = (action: Action): number => changes.filter((change) => change.action === action).length;
  return (['create', 'update', 'delete'] as const).map((action) => `${count(action)} ${words[action]}`).join(', ');
}

const PLANNED = { create: 'to create', update: 'to change', delete: 'to delete' };

export function planText({ changes, notices }: Plan): string {
  const lines = changes.flatMap(changeLines);
  const end = changes.length === 0 ? 'nothing to change' : summaryOf(changes, PLANNED);
  return [...lines, ...notices, end].join('\n');
}

const FORMAT = 'gatehouse-plan/1';

/** What a plan says of its changes. Values of secrets are nowhere in it. */
export const changesJson = (changes: readonly Change[], document?: SetupDocument) =>
  changes.map(({ action, kind, key, fields, wanted }) => ({
    action,
    kind,
    key,
    ...(document && wanted ? { line: document.lineOf(wanted.path) } : {}),
    ...(Object.keys(fields).length > 0 ? { fields } : {}),
  }));

export const fingerprintOf = (text: string): string => createHash('sha256').update(text).digest('hex');

export const planJson = (
  { changes, notices }: Plan,
  document: SetupDocument,
  about: { readonly service: string; readonly prune: boolean },
) => ({
  format: FORMAT,
  ...about,
  file_sha256: fingerprintOf(document.text),
  changes: changesJson(changes, document),
  notices,
});

export function readSavedPlan(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new SetupError(`${shown(path)}: cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

/** Throws unless a saved plan is for this file and service, and would change the same now. */
export function checkSavedPlan(saved: string, current: ReturnType<typeof planJson>): void {
  let plan: Partial<ReturnType<typeof planJson>>;
  try {
    plan = JSON.parse(saved) as typeof plan;
  } catch {
    throw new SetupError('the saved plan is not JSON');
  }
  if (plan?.format !== FORMAT) throw new SetupError('the saved plan has another format; plan again');
  if (plan.service !== current.service) throw new SetupError(`the plan was made for ${shownValue(plan.service)}`);
  if (plan.file_sha256 !== current.file_sha256) throw new SetupError('the file was changed since it was planned; plan again');
  if (plan.prune !== current.prune) throw new SetupError(`the plan was made ${plan.prune ? 'with' : 'without'} --prune`);
  if (JSON.stringify(plan.changes) !== JSON.stringify(current.changes))
    throw new SetupError('the service was changed since this was planned: other changes would be made now; plan again');
}
