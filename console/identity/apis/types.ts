// APIs as the service shows them.

export const APIS = '/v3/OS-OAUTH2/apis';

export interface ApiScope {
  readonly name: string;
  readonly description: string;
  /** Ids of roles of the API's application. */
  readonly roles?: readonly string[];
}

/** The application gets `scope` for the token of another API that has `subject_scope`. */
export interface ApiExchange {
  readonly application_id: string;
  readonly subject_scope: string;
  readonly scope: string;
}

export interface RegisteredApi {
  readonly id: string;
  readonly identifier: string;
  readonly name: string;
  readonly description: string | null;
  readonly scopes: readonly ApiScope[];
  readonly application_id: string | null;
  /** Null: all. */
  readonly applications: readonly string[] | null;
  readonly token_format: 'jwt' | 'opaque';
  readonly token_lifetime: number | null;
  readonly exchanges: readonly ApiExchange[];
}
