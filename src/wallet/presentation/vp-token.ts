// The vp_token: presentations of what was chosen, made with copies that are set aside and not yet used up.
import type { Clock } from '../../platform/clock.ts';
import type { Candidate, Copy, HeldCredentials } from '../credentials/index.ts';
import type { Formats, Showing } from '../formats/index.ts';
import { type AnswerKey, encodeAnswer } from './answer.ts';
import { disclosedOf, type Told } from './disclosed.ts';
import type { PresentationAnswer } from './presentation.schema.ts';
import type { Match, QueryMatches } from './query.ts';
import type { Opened } from './request.ts';
import type { Confirmation } from './transaction-data.ts';

/** What presentations are made for. */
export interface Asking {
  readonly opened: Opened;
  readonly key: AnswerKey | undefined;
}

export interface Chosen {
  readonly result: QueryMatches;
  readonly matches: readonly Match[];
}

/** An answer that can be sent. Its copies are set aside until they are put back, used up or not. */
export interface Made {
  readonly form: string;
  readonly presented: NonNullable<PresentationAnswer['presented']>;
  readonly copies: readonly { readonly candidate: Candidate; readonly copy: Copy }[];
  putBack(): void;
}

export function createVpTokens({
  clock,
  formats,
  heldCredentials,
}: {
  clock: Clock;
  formats: Formats;
  heldCredentials: HeldCredentials;
}) {
  function presentationOf(
    { raw, holder }: Pick<Copy, 'raw' | 'holder'>,
    { opened, key }: Asking,
    { candidate, paths }: Match,
    isBound: boolean,
    confirms: Confirmation | undefined,
  ): Promise<unknown> {
    const showing: Showing = {
      paths,
      nonce: opened.nonce,
      audience: opened.resolved.client.effective,
      now: clock.now(),
      ...(confirms ? { transactionData: confirms } : {}),
      handover: { responseUri: opened.responseUri, ...(key ? { encryptionThumbprint: key.thumbprint } : {}) },
    };
    return formats[candidate.format].show(
      raw,
      showing,
      isBound || confirms || candidate.format !== 'dc+sd-jwt' ? holder : undefined,
    );
  }

  /** One credential may answer several queries: it is one copy of it that does. */
  async function make(
    asking: Asking,
    chosen: readonly Chosen[],
    confirmed: ReadonlyMap<string, Confirmation> | undefined,
  ): Promise<Made> {
    const taken = new Map<string, Made['copies'][number]>();
    const putBack = (): void => {
      for (const { copy } of taken.values()) heldCredentials.putBack(copy);
      taken.clear();
    };
    try {
      const vpToken: Record<string, unknown[]> = Object.create(null);
      const presented: NonNullable<PresentationAnswer['presented']> = [];
      for (const { result, matches } of chosen) {
        vpToken[result.id] = [];
        for (const match of matches) {
          const { candidate } = match;
          const { id: credentialId } = candidate.row;
          if (!taken.has(credentialId)) taken.set(credentialId, { candidate, copy: await heldCredentials.setAside(candidate) });
          const { copy } = taken.get(credentialId)!;
          const token = await presentationOf(copy, asking, match, result.bound, confirmed?.get(result.id));
          vpToken[result.id]!.push(token);
          presented.push({ queryId: result.id, credentialId, disclosed: disclosedOf(match, copy.raw, token) });
        }
      }
      const form = await encodeAnswer(asking.opened, vpToken, asking.key);
      return { form, presented, copies: [...taken.values()], putBack };
    } catch (error) {
      putBack();
      throw error;
    }
  }

  /** What the verifier would learn from it. */
  async function disclosedIn(asking: Asking, match: Match): Promise<Told> {
    if (match.candidate.format !== 'dc+sd-jwt') return disclosedOf(match, undefined, undefined);
    const { raw } = await heldCredentials.peek(match.candidate);
    return disclosedOf(match, raw, await presentationOf({ raw, holder: undefined }, asking, match, false, undefined));
  }

  return { make, disclosedIn };
}
