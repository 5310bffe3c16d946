// The way back to the application that a person came from.
import type { Session } from 'oidc-provider';
import { findConsumer } from '../../applications/consumers/index.ts';
import { type Deps, isWebAddress, parseJson } from '../../ground/resource/index.ts';
import { ACCOUNT_CLIENT } from '../../openid/first-party-clients/index.ts';

/** Applications without an address are passed over, up to this number. */
const MAX_READ = 10;

/** The newest application of the session that has an address of its own (`url`). */
export async function findBackLink(
  { db }: Pick<Deps, 'db'>,
  { authorizations = {} }: Session,
): Promise<{ readonly name: string; readonly url: string } | undefined> {
  const ids = Object.keys(authorizations).filter((id) => id !== ACCOUNT_CLIENT);
  for (const id of ids.reverse().slice(0, MAX_READ)) {
    const consumer = await findConsumer(db.read, id);
    const { url } = parseJson<{ url?: unknown }>(consumer?.extra ?? '{}');
    if (consumer && isWebAddress(url)) return { name: consumer.name, url };
  }
  return undefined;
}
