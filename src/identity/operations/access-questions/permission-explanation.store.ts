// Which roles of an application have a permission.
import type { Reader } from '../../ground/database/index.ts';

/** A permission by its id, or by what it allows. */
export type PermissionQuestion = { readonly id: string } | { readonly action: string; readonly resource: string };

/** Some roles that can be assigned in an application and have the permission. */
export const rolesWithPermission = (
  db: Reader,
  applicationId: string,
  question: PermissionQuestion,
  limit: number,
): Promise<{ id: string; name: string }[]> =>
  db
    .selectFrom('app_roles')
    .where((eb) => eb.or([eb('app_roles.application_id', '=', applicationId), eb('app_roles.is_internal', '=', 1)]))
    .where('app_roles.id', 'in', (eb) =>
      eb
        .selectFrom('app_role_permissions')
        .innerJoin('app_permissions', 'app_permissions.id', 'app_role_permissions.permission_id')
        .where((e) =>
          'id' in question
            ? e('app_permissions.id', '=', question.id)
            : e.and([e('app_permissions.action', '=', question.action), e('app_permissions.resource', '=', question.resource)]),
        )
        .select('app_role_permissions.role_id'),
    )
    .orderBy('app_roles.name')
    .orderBy('app_roles.id')
    .select(['app_roles.id', 'app_roles.name'])
    .limit(limit)
    .execute();
