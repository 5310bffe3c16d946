// Verifiers that are malicious in exactly one way, and the expected refusals.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type PresentationSetup, VP } from './presentation.ts';
import type { AskOptions, RequestDraft, VerifierTwist } from './toy-verifier.ts';
import type { WalletUser } from './wallet.ts';
import { assertProblem } from './wallet-answers.ts';

export interface HostileCase {
  readonly what: string;
  readonly twist: VerifierTwist;
  readonly ask?: AskOptions;
  readonly code?: string;
  readonly status?: number;
  readonly why?: RegExp;
  /** The reason in the log, if the answer does not contain it. */
  readonly reason?: RegExp;
  /** The error code sent to the verifier; none if the verifier is not authenticated. */
  readonly reportedError?: string;
}

/** Changes the payload of the request. */
export const withPayload = (payload: object): VerifierTwist => ({
  request: (draft) => void Object.assign(draft.payload, payload),
});
export const withHeader = (more: object): VerifierTwist => ({ request: (draft) => void Object.assign(draft.header, more) });
export const withRequest = (work: (draft: RequestDraft) => void): VerifierTwist => ({ request: work });
export const withMetadata = (more: object): VerifierTwist =>
  withRequest(({ payload }) => void Object.assign(payload.client_metadata, more));
export const withParameters = (change: Record<string, string | undefined>): VerifierTwist => ({
  parameters(all) {
    for (const [name, value] of Object.entries(change)) value === undefined ? all.delete(name) : all.set(name, value);
  },
});
export const withResponse = (status: number, headers: Record<string, string>, body: string): VerifierTwist => ({
  raw: (endpoint, _, response) => endpoint === 'request' && Boolean(response.writeHead(status, headers).end(body)),
});
export const encodePart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
/** The same claims with a changed header, signed by the given function. */
export const resigned = (more: object, sign: (input: string) => string): VerifierTwist => ({
  text(jwt) {
    const [head, body] = jwt.split('.');
    const header: object = JSON.parse(Buffer.from(head!, 'base64url').toString());
    const input = `${encodePart({ ...header, ...more })}.${body}`;
    return `${input}.${sign(input)}`;
  },
});

/** Defines a test for each case: it is refused with its code, and nothing is presented. */
export function itRefusesEach(world: PresentationSetup, groups: Readonly<Record<string, readonly HostileCase[]>>): void {
  const { verifier, wallet } = world;
  let person: WalletUser | undefined;
  for (const [group, cases] of Object.entries(groups))
    describe(group, () => {
      for (const { what, twist, ask, code = 'invalid-presentation-request', status = 422, why, reason, reportedError } of cases)
        it(what, async () => {
          person ??= (await world.holder()).person;
          verifier.twist = twist;
          const uri = await verifier.ask(ask);
          const before = wallet.logged.length;
          assertProblem(await person.post(VP, { uri }), status, code, why);
          assert.deepEqual(verifier.tokens, []);
          assert.deepEqual(
            verifier.posted.map(({ error }) => error),
            reportedError === undefined ? [] : [reportedError],
          );
          // No other endpoint was called.
          assert.ok(!verifier.seen.some(({ endpoint }) => endpoint === 'none'));
          const logged = wallet.logged.slice(before).join('\n');
          if (reason) assert.match(logged, reason);
          const { nonce } = verifier.asked;
          if (typeof nonce === 'string' && nonce.length > 10) assert.ok(!logged.includes(nonce), 'the nonce is in the log');
        });
    });
}
