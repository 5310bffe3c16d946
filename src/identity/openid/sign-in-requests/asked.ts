// What an application asks for, as it is in the sealed record of its request.
import type { RecordPayload } from '../records/index.ts';

/** The name of the library for it. */
export const SIGN_IN_REQUEST_MODEL = 'BackchannelAuthenticationRequest';

/** The library needs an account at once; who is meant is found out later, so that the answer is the same for everybody. */
export const NOT_KNOWN_YET = 'not known yet';

/** One API: its address, and as what it was known then. */
export interface AskedApi {
  readonly resource: string;
  readonly version: string;
  /** What the grant says. */
  readonly scope: string;
}

export interface Asked {
  readonly clientId: string;
  readonly message: string | undefined;
  /** Those of this service. */
  readonly scope: string;
  readonly apis: readonly AskedApi[];
  /** All that it asked for, also what is an API's. */
  readonly requested: readonly string[];
  readonly acrValues: readonly string[];
  readonly isAcrEssential: boolean;
  /** How old the sign-in of the person may be, in seconds (`max_age`). */
  readonly maxAge: number | undefined;
  /** Where the application is told of the answer. */
  readonly ping: { readonly endpoint: string; readonly token: string } | undefined;
  readonly address: string;
}

/** Our own member of the payload. */
const MEMBER = 'asked';

export const withAsked = (payload: RecordPayload, asked: Asked): RecordPayload => ({ ...payload, [MEMBER]: asked });
export const askedIn = (payload: RecordPayload): Asked => payload[MEMBER] as Asked;
