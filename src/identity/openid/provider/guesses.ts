// Rate limits for secrets that the library checks: client secrets, and device codes.
import type { RawExchange } from '../../../platform/http/index.ts';
import type { Gate } from '../../../platform/limits/index.ts';
import { credentialsFromHeader } from '../client-authentication/index.ts';
import { KEYROCK_TOKEN, ROOT } from '../paths/index.ts';

const DEVICE = `${ROOT}/device`;
/** Short codes typed by people: limited like passwords. */
const DEVICE_CODES = 'codes of devices';

/** The status by which the library reports a wrong secret. */
const STATUS_OF_WRONG_GUESS: Readonly<Record<string, number>> = {
  [`${ROOT}/token`]: 401,
  [KEYROCK_TOKEN]: 401,
  [`${ROOT}/revoke`]: 401,
  [`${ROOT}/par`]: 401,
  [`${DEVICE}/authorize`]: 401,
  [`${ROOT}/backchannel`]: 401,
  [DEVICE]: 400,
};

/** The client, if it uses HTTP Basic. A secret in the body is read by the library, so its owner is not known here. */
function ownerOf({ request }: RawExchange): string | undefined {
  const client = credentialsFromHeader(request.headers.authorization ?? '')?.id;
  return client === undefined ? undefined : `application ${client}`;
}

export async function withGuessLimit(gate: Gate, exchange: RawExchange, path: string, serve: () => Promise<void>): Promise<void> {
  const wrong = exchange.request.method === 'POST' ? STATUS_OF_WRONG_GUESS[path] : undefined;
  if (wrong === undefined) return serve();
  if (path === DEVICE) {
    gate.check(exchange, DEVICE_CODES);
    await serve();
    if (exchange.response.statusCode === wrong) gate.wrong(exchange, DEVICE_CODES);
    return;
  }
  const owner = ownerOf(exchange);
  gate.checkSecret(exchange, owner);
  await serve();
  if (exchange.response.statusCode === wrong) gate.wrongSecret(exchange, owner);
}
