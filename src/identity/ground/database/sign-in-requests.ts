// Tables of applications that ask people to sign in who are somewhere else.
import type { AttemptColumn, QueueRow } from './messages.ts';

export type NewSignInTaskRow = Omit<SignInTaskRow, AttemptColumn>;

/** By `kind`: who is meant by a request is found, or its application is told of the answer. */
export interface SignInTaskRow extends QueueRow {
  consumer_id: string;
  kind: string;
  sealed: string;
}

/** A request of an application that a person signs in somewhere else. */
export interface SignInRequestRow {
  /** That of the record of the request. */
  id: string;
  consumer_id: string;
  /** Null until it is known who is meant, and for ever if that is nobody. */
  user_id: string | null;
  /** Null: nothing was decided yet. `withheld`: the person does not see it. */
  state: 'asked' | 'withheld' | 'allowed' | 'refused' | null;
  created_at: number;
  expires_at: number;
  poll_at: number;
  poll_seconds: number;
}

/** How a person may be asked. */
export interface SignInRequestChoiceRow {
  user_id: string;
  /** Sealed. Only who sends it along may ask; null: nobody. */
  code: string | null;
}

export interface SignInRequestTables {
  sign_in_requests: SignInRequestRow;
  sign_in_request_choices: SignInRequestChoiceRow;
  sign_in_tasks: SignInTaskRow;
}
