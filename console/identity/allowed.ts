// What the person may do with each row of a list. Rows that the rules of the service cannot tell apart are asked about once.

import { BUILT_IN_ROLES } from './resources.ts';
import { session } from './session.ts';

export interface RowQuestions<Row> {
  readonly rows: readonly Row[];
  /** Equal for rows that have the same answer, such as people of the same domain. */
  key(row: Row): string;
  /** What the service is asked about, such as `{ user_id }`. */
  ids(row: Row): Readonly<Record<string, string>>;
}

export type MayWithRow<Row> = (row: Row, rule: string) => boolean;

export async function mayWithEach<Row>({ rows, key, ids }: RowQuestions<Row>, signal: AbortSignal): Promise<MayWithRow<Row>> {
  const kinds = [...new Map(rows.map((row) => [key(row), row]))];
  const answers = new Map(
    await Promise.all(kinds.map(async ([name, row]) => [name, await session.mayWith(ids(row), signal)] as const)),
  );
  return (row, rule) => answers.get(key(row))?.(rule) ?? false;
}

/** To whom the person may give at least one role of an application. */
export interface MayGive {
  readonly person: boolean;
  readonly organization: boolean;
}

/**
 * The permissions to give roles are about those that manage the application, its own ones, or those that one holds. So one of each is
 * asked about.
 */
export async function mayGiveRoles(
  applicationId: string,
  roles: readonly { readonly id: string; readonly is_internal: boolean }[],
  held: readonly string[],
  signal: AbortSignal,
): Promise<MayGive> {
  const own = roles.find(({ is_internal: isInternal }) => !isInternal)?.id;
  const asked = [...new Set([...BUILT_IN_ROLES, ...(own ? [own] : []), ...held])];
  // Owners of an organization give roles in it only. Without one it does not matter which is asked about.
  const { scope, person } = session;
  const project_id = scope.kind === 'project' ? scope.id : 'none';
  const answers = await Promise.all(
    asked.map((role_id) => session.mayWith({ application_id: applicationId, role_id, user_id: person.id, project_id }, signal)),
  );
  return {
    person: answers.some((may) => may('add_role_to_user')),
    organization: answers.some((may) => may('add_role_to_organization')),
  };
}
