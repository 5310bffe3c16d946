// A service that runs, by its API. Whoever calls is an administrator, as for `gatehouse apply`.
import { setTimeout } from 'node:timers/promises';
import type { Taken } from '../identity/provisioning/import/index.ts';
import { type Client, type Credentials, connect, Refusal, SetupError } from '../setup/index.ts';
import { ImportError } from './source.ts';
import type { Target } from './target.ts';

const PATH = '/v3/OS-IMPORT/imports';
const TRIES = 8;
const LONGEST_WAIT_MS = 15_000;

/** Busy, restarting, behind a proxy without a backend. */
const PASSING = [429, 502, 503, 504];

export async function runningService(credentials: Credentials): Promise<Target> {
  let client: Client = await connect(credentials);

  /** A batch can be sent again: nothing is taken twice. */
  async function send(method: 'POST' | 'PATCH', path: string, body: unknown): Promise<Readonly<Record<string, unknown>>> {
    for (let tries = 1; ; tries++)
      try {
        return await client.send(method, path, body);
      } catch (error) {
        if (!(error instanceof SetupError)) throw error;
        const status = error instanceof Refusal ? error.status : undefined;
        const isOver = status === 401 && credentials.login !== undefined;
        if (tries === TRIES || !(status === undefined || PASSING.includes(status) || isOver))
          throw new ImportError(error.message);
        await setTimeout(Math.min(250 * 2 ** tries, LONGEST_WAIT_MS));
        // The token has expired.
        if (isOver) client = await connect(credentials);
      }
  }

  return {
    async begin(run) {
      const { import: begun } = (await send('POST', PATH, { import: run })) as { import: { id: string } };
      return begun.id;
    },
    async take(runId, kind, records) {
      const answer = await send('POST', `${PATH}/${runId}/batches`, { batch: { kind, records } });
      return answer.records as Taken[];
    },
    async report(runId, report, end) {
      await send('PATCH', `${PATH}/${runId}`, { import: { report, ...(end ? { state: end } : {}) } });
    },
    close: () => client.end(),
  };
}
