// The states of an exchange (database.ts names them): where it waits, and where nothing more happens.
import type { ExchangeState, OverState } from '../database.ts';

const OVER: readonly string[] = ['issued', 'submitted', 'rejected', 'failed', 'expired'] satisfies OverState[];

export const isOver = (state: ExchangeState): state is OverState => OVER.includes(state);

/** Whether the peer has its answer, or may have it. */
export const isAnswered = (state: ExchangeState): state is OverState | 'answering' => state === 'answering' || isOver(state);
