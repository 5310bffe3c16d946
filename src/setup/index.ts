// Set-up as a file: what is planned, applied and exported through the public API.
import type { Client } from './client.ts';
import type { SetupDocument } from './document.ts';
import { exportFile, exportNotices, exportYaml } from './export.ts';
import type { Change } from './model.ts';
import { refusedChanges } from './permission.ts';
import { type Plan, planOf } from './plan.ts';
import { everything, needOf, readState } from './read.ts';
import type { Secrets } from './secrets.ts';
import type { State } from './state.ts';
import { wantedOf } from './wanted.ts';
import { writeChanges } from './write.ts';

export { type Client, connect, Refusal } from './client.ts';
export { type Credentials, readCredentials } from './credentials.ts';
export { readSetup } from './document.ts';
export { changeLines, checkSavedPlan, planJson, planText, readSavedPlan, summaryOf } from './render.ts';
export { setupJsonSchema } from './schema.ts';
export { createSecrets } from './secrets.ts';
export { SetupError, safeJson, shown } from './text.ts';

export interface SetupPlan extends Plan {
  readonly document: SetupDocument;
  readonly state: State;
}

export interface PlanOptions {
  readonly prune: boolean;
  readonly sendSecrets: boolean;
  readonly secrets: Secrets;
}

/** Reads the service and compares. Nothing is changed. */
export async function plan(
  client: Client,
  document: SetupDocument,
  { prune, sendSecrets, secrets }: PlanOptions,
): Promise<SetupPlan> {
  const setup = wantedOf(document);
  const { state, missing } = await readState(client, needOf(setup, prune), setup.users);
  const compared = planOf({ document, setup, state, secrets, sendSecrets, prune, missingUsers: missing });
  const problems = [...compared.problems, ...(await refusedChanges(state, compared.changes))];
  return { ...compared, problems, document, state };
}

export async function apply(
  { changes, document, state }: SetupPlan,
  secrets: Secrets,
  onDone: (change: Change) => void,
): Promise<void> {
  const where = ({ wanted }: Change): string => (wanted ? document.place(wanted.path) : 'deleting');
  await writeChanges({ state, secrets, where, onDone }, changes);
}

/** `users`: also what is assigned to single users. */
export async function exportSetup(
  client: Client,
  users: boolean,
): Promise<{ readonly text: string; readonly notices: string[] }> {
  const { state } = await readState(client, everything(users));
  return { text: exportYaml(exportFile(state)), notices: exportNotices(state) };
}
