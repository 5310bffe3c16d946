// Checks DPoP proofs (RFC 9449, 4.3) where the library does not: in grants of our own, and at our own endpoints.
import { createHash } from 'node:crypto';
import { type Clock, seconds } from '../../../platform/clock.ts';
import { decodeJws, thumbprintOf, verifyJws } from '../../../verifiable/jose/index.ts';
import { readPublicJwk } from '../../../verifiable/resolver/index.ts';
import type { Records } from '../records/index.ts';

/** As discovery lists them. */
export const DPOP_ALGORITHMS = ['ES256', 'EdDSA', 'RS256', 'PS256'] as const;

const MAX_LENGTH = 8 * 1024;
const MAX_ID = 256;
/** Clocks of wallets differ. The library allows for as much. */
const WINDOW_SECONDS = 300;
/**
 * How long one is remembered. Dated ahead, it is good for two windows. The third is for a replica whose clock is ahead of the others: it
 * deletes what has expired by its own.
 */
export const PROOF_SECONDS = 3 * WINDOW_SECONDS;
const REPLAY_MODEL = 'ReplayDetection';

/** Why a proof is refused. */
export class DpopError extends Error {}

function refuse(why: string): never {
  throw new DpopError(why);
}

/** What a proof has to be for. */
export interface ProvenRequest {
  readonly method: string;
  /** Without a query. */
  readonly url: string;
  /** At a protected endpoint: the access token that the proof belongs to. */
  readonly accessToken?: string;
}

const addressOf = (value: unknown): string | undefined => {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  return url ? `${url.origin}${url.pathname}` : undefined;
};

export function createDpopProofs({ records, clock }: { records: Pick<Records, 'save'>; clock: Clock }) {
  async function read(proof: string): Promise<{ thumbprint: string; payload: Readonly<Record<string, unknown>> }> {
    try {
      const { header, payload } = decodeJws(proof, MAX_LENGTH);
      if (header.typ !== 'dpop+jwt' || !DPOP_ALGORITHMS.includes(header.alg as 'ES256')) refuse('it is no DPoP proof');
      const jwk = readPublicJwk(header.jwk);
      await verifyJws(proof, jwk, MAX_LENGTH);
      return { thumbprint: thumbprintOf(jwk), payload };
    } catch (error) {
      return refuse(error instanceof DpopError ? error.message : 'its key or its signature cannot be used');
    }
  }

  return {
    /** Returns the thumbprint of the key. Each proof is good once. */
    async check(proof: string, { method, url, accessToken }: ProvenRequest): Promise<string> {
      const { thumbprint, payload } = await read(proof);
      const { htm, htu, iat, jti, ath } = payload;
      if (htm !== method || addressOf(htu) !== addressOf(url)) refuse('it is for another request');
      if (typeof iat !== 'number' || Math.abs(seconds(clock) - iat) > WINDOW_SECONDS)
        refuse('its iat is too far from the current time');
      if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID) refuse('it has no jti');
      if (accessToken !== undefined && ath !== createHash('sha256').update(accessToken).digest('base64url'))
        refuse('it belongs to another access token');
      const isNew = await records.save(REPLAY_MODEL, `proof ${thumbprint} ${jti}`, {}, PROOF_SECONDS, true);
      if (!isNew) refuse('it was used before');
      return thumbprint;
    },
  };
}

export type DpopProofs = ReturnType<typeof createDpopProofs>;
