// The rows of messages that wait to be sent: notifications, mails, logouts, and what follows a request that a person signs in.

/** The columns of every queue. */
export interface QueueRow {
  id: string;
  attempts: number;
  next_at: number;
  created_at: number;
  last_error: string | null;
  /** When it was given up. */
  failed_at: number | null;
}

/** What only failed attempts fill in. */
export type AttemptColumn = 'last_error' | 'failed_at';
export type NewOutboxRow = Omit<OutboxRow, AttemptColumn>;
export type NewMailRow = Omit<MailRow, AttemptColumn>;

export interface OutboxRow extends QueueRow {
  event: string;
  body: string;
}

export interface MailRow extends QueueRow {
  template: string;
  sealed: string;
  /** Null: stored by an earlier version. */
  recipient: string | null;
  expires_at: number;
}

export interface LogoutRow {
  id: string;
  client_id: string;
  body: string;
  attempts: number;
  next_at: number;
  created_at: number;
}
