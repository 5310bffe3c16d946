// What the library oidc-provider stores: sessions, codes, tokens, consents. Records end with the session, the consent or the account that
// they are from.

export type { EndedRecords } from './end.ts';
export type { StoredRecord, ValidRecord } from './find.ts';
export type { TokensToIssue } from './issue.ts';
export { consentIdOf, type RecordPayload, tagOfGrant, tagOfHash, tagOfRecord, tagOfSession } from './record.ts';
export { createRecords, type Records } from './records.ts';
export type { Lifetimes } from './request-state.ts';
export { sessionTokenId } from './session-tokens.ts';
export type { UserSession } from './sessions.ts';
