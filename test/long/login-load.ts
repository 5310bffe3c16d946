// Sends logins at a fixed rate, whatever the answers, from a process of its own: the clock of the test must not wait for it. It gets its
// orders as JSON in LOGIN_LOAD and prints what came back as JSON. The connections are bounded; a login that finds none free is not sent.
import { Agent, request } from 'node:http';

interface Orders {
  readonly url: string;
  readonly users: readonly { readonly id: string; readonly password: string }[];
  readonly perSecond: number;
  readonly seconds: number;
  /** With a number: this many clients, each sending the next login after the answer, instead of a rate. */
  readonly clients?: number;
}

const MOST_OPEN = 1_500;
const ANSWER_MS = 60_000;

const { url, users, perSecond, seconds, clients }: Orders = JSON.parse(process.env.LOGIN_LOAD!);
const agent = new Agent({ keepAlive: true, maxSockets: MOST_OPEN });
const result = { sent: 0, statuses: {} as Record<string, number>, longestMs: 0, withoutRetryAfter: 0, unsent: 0 };
let [open, next] = [0, 0];

function logIn(): Promise<void> {
  const user = users[next++ % users.length]!;
  const body = JSON.stringify({ auth: { identity: { methods: ['password'], password: { user } } } });
  const began = performance.now();
  result.sent++;
  open++;
  return new Promise((resolve) => {
    const done = (status: string): void => {
      open--;
      result.statuses[status] = (result.statuses[status] ?? 0) + 1;
      result.longestMs = Math.max(result.longestMs, performance.now() - began);
      resolve();
    };
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      // The service limits how many guesses one address has under way, so they come from several, as from people behind a proxy.
      'X-Forwarded-For': `10.0.${result.sent % 16}.${result.sent % 250}`,
    };
    const sent = request(`${url}/v3/auth/tokens`, { method: 'POST', agent, headers, timeout: ANSWER_MS }, (answer) => {
      if (answer.statusCode === 503 && answer.headers['retry-after'] === undefined) result.withoutRetryAfter++;
      answer.resume().once('end', () => done(String(answer.statusCode)));
    });
    sent.once('timeout', () => sent.destroy(new Error('no answer')));
    sent.once('error', (error) => done(error.message));
    sent.end(body);
  });
}

const end = performance.now() + seconds * 1000;
const running: Promise<void>[] = [];
if (clients === undefined) {
  const began = performance.now();
  while (performance.now() < end) {
    const due = Math.floor(((performance.now() - began) / 1000) * perSecond);
    while (result.sent + result.unsent < due)
      if (open < MOST_OPEN) running.push(logIn());
      else result.unsent++;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
} else
  for (let i = 0; i < clients; i++)
    running.push(
      (async () => {
        while (performance.now() < end) await logIn();
      })(),
    );
await Promise.all(running);
agent.destroy();
console.log(JSON.stringify(result));
