// Creates the vp_token: presentations of the selected credentials, with reserved copies.
import type { Clock } from '../../platform/clock.ts';
import { FORMATS, type Formats, type PresentationContext } from '../../verifiable/formats/index.ts';
import type { CredentialCandidate, ReservedCopy, StoredCredentials } from '../credentials/index.ts';
import { type AnswerKey, encodeAnswer } from './answer.ts';
import { type DisclosedPaths, disclosedPathsOf } from './disclosed-paths.ts';
import type { PresentationAnswer } from './presentation.schema.ts';
import type { Match, QueryMatches } from './query.ts';
import type { VerifierRequest } from './request.ts';
import type { Confirmation } from './transaction-data.ts';

/** The request that presentations are created for, and the key for its answer. */
export interface PresentationTarget {
  readonly request: VerifierRequest;
  readonly key: AnswerKey | undefined;
}

export interface SelectedMatches {
  readonly result: QueryMatches;
  readonly matches: readonly Match[];
}

/** An answer that is ready to be sent. Its copies are reserved until releaseCopies is called. */
export interface PreparedAnswer {
  readonly form: string;
  readonly presented: NonNullable<PresentationAnswer['presented']>;
  readonly copies: readonly { readonly candidate: CredentialCandidate; readonly copy: ReservedCopy }[];
  releaseCopies(): void;
}

export function createVpTokens({
  clock,
  formats,
  storedCredentials,
}: {
  clock: Clock;
  formats: Formats;
  storedCredentials: StoredCredentials;
}) {
  function presentationOf(
    { raw, holder }: Pick<ReservedCopy, 'raw' | 'holder'>,
    { request, key }: PresentationTarget,
    { candidate, paths }: Match,
    isBound: boolean,
    confirms: Confirmation | undefined,
  ): Promise<unknown> {
    const context: PresentationContext = {
      paths,
      nonce: request.nonce,
      audience: request.resolved.client.effective,
      now: clock.now(),
      ...(confirms ? { transactionData: confirms } : {}),
      handover: { responseUri: request.responseUri, ...(key ? { encryptionThumbprint: key.thumbprint } : {}) },
    };
    return formats[candidate.format].present(
      raw,
      context,
      isBound || confirms || FORMATS[candidate.format].holder.alwaysSigns ? holder : undefined,
    );
  }

  /** If one credential answers several queries, the same copy is used. */
  async function make(
    target: PresentationTarget,
    chosen: readonly SelectedMatches[],
    confirmed: ReadonlyMap<string, Confirmation> | undefined,
  ): Promise<PreparedAnswer> {
    const reserved = new Map<string, PreparedAnswer['copies'][number]>();
    const releaseCopies = (): void => {
      for (const { copy } of reserved.values()) storedCredentials.releaseCopy(copy);
      reserved.clear();
    };
    try {
      const vpToken: Record<string, unknown[]> = Object.create(null);
      const presented: NonNullable<PresentationAnswer['presented']> = [];
      for (const { result, matches } of chosen) {
        vpToken[result.id] = [];
        for (const match of matches) {
          const { candidate } = match;
          const { id: credentialId } = candidate.row;
          if (!reserved.has(credentialId))
            reserved.set(credentialId, { candidate, copy: await storedCredentials.reserveCopy(candidate) });
          const { copy } = reserved.get(credentialId)!;
          const token = await presentationOf(copy, target, match, result.bound, confirmed?.get(result.id));
          vpToken[result.id]!.push(token);
          presented.push({ queryId: result.id, credentialId, disclosed: disclosedPathsOf(match, copy.raw, token) });
        }
      }
      const form = await encodeAnswer(target.request, vpToken, target.key);
      return { form, presented, copies: [...reserved.values()], releaseCopies };
    } catch (error) {
      releaseCopies();
      throw error;
    }
  }

  /** The paths that a presentation would disclose. */
  async function disclosedIn(target: PresentationTarget, match: Match): Promise<DisclosedPaths> {
    if (FORMATS[match.candidate.format].disclosure !== 'asked-and-open') return disclosedPathsOf(match, undefined, undefined);
    const { raw } = await storedCredentials.peekCopy(match.candidate);
    return disclosedPathsOf(match, raw, await presentationOf({ raw, holder: undefined }, target, match, false, undefined));
  }

  return { make, disclosedIn };
}
