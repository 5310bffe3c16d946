// Guesses that the library looks at: secrets of applications, and the codes people type for a device. They are counted like all others.
import type { RawExchange } from '../../../platform/http/index.ts';
import type { Gate } from '../../../platform/limits/index.ts';
import { fromHeader } from './introspection.ts';
import { KEYROCK_TOKEN, ROOT } from './paths.ts';

const DEVICE = `${ROOT}/device`;
/** Short, and typed by people: counted as passwords are. */
const CODES = 'codes of devices';

/** How the library says that one was wrong. */
const WRONG: Readonly<Record<string, number>> = {
  [`${ROOT}/token`]: 401,
  [KEYROCK_TOKEN]: 401,
  [`${ROOT}/revoke`]: 401,
  [`${ROOT}/par`]: 401,
  [`${DEVICE}/authorize`]: 401,
  [DEVICE]: 400,
};

/** Where the secret comes in the body, which is the library's to read, nobody knows yet whose it is. */
function ownerOf({ request }: RawExchange): string | undefined {
  const client = fromHeader(request.headers.authorization ?? '')?.id;
  return client === undefined ? undefined : `application ${client}`;
}

export async function guarded(gate: Gate, exchange: RawExchange, path: string, serve: () => Promise<void>): Promise<void> {
  const wrong = exchange.request.method === 'POST' ? WRONG[path] : undefined;
  if (wrong === undefined) return serve();
  if (path === DEVICE) {
    gate.check(exchange, CODES);
    await serve();
    if (exchange.response.statusCode === wrong) gate.wrong(exchange, CODES);
    return;
  }
  const owner = ownerOf(exchange);
  gate.checkSecret(exchange, owner);
  await serve();
  if (exchange.response.statusCode === wrong) gate.wrongSecret(exchange, owner);
}
