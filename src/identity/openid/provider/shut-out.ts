// An application that registered itself is let in by the domain of each person. Others than that of a person may let it in while theirs does not.
import type { ClientRegistration } from '../../applications/client-registration/index.ts';

/** What a token says of what it was issued for. */
interface IssuedFor {
  readonly accountId?: string | undefined;
  readonly scope?: unknown;
}

/** Whether the domain of the person does not let the application in any more, or not for this. */
export async function isShutOut(
  { refusal }: Pick<ClientRegistration, 'refusal'>,
  consumer: Parameters<ClientRegistration['refusal']>[0],
  { accountId, scope }: IssuedFor,
): Promise<boolean> {
  if (accountId === undefined) return false;
  return (await refusal(consumer, accountId, { redirectUri: undefined, scopes: String(scope ?? '').split(' ') })) !== undefined;
}
