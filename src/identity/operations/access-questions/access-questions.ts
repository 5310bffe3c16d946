// Explanations: why a user may do something, or why not.
import type { Query } from '../../../platform/http/index.ts';
import type { Caller } from '../../access/rules/index.ts';
import { type AllowedDeps, allowedRules } from './allowed.rules.ts';
import { type AccessQuestion, explainAccess, questionTarget } from './explanation.rules.ts';
import {
  explainPermissions,
  type PermissionExplanationDeps,
  type PermissionsQuestion,
  permissionsQuestionTarget,
} from './permission-explanation.rules.ts';

export function createAccessQuestions(deps: PermissionExplanationDeps & AllowedDeps) {
  return {
    allowed: (routes: Parameters<typeof allowedRules>[1], call: Parameters<typeof allowedRules>[2]) =>
      allowedRules(deps, routes, call),
    target: (userId: string, query: Query) => questionTarget(deps, userId, query),
    explain: (caller: Caller, question: AccessQuestion) => explainAccess(deps, caller, question),
    permissionsTarget: (caller: Caller, userId: string, applicationId: string, query: Query) =>
      permissionsQuestionTarget(deps, caller, userId, applicationId, query),
    explainPermissions: (caller: Caller, question: PermissionsQuestion) => explainPermissions(deps, caller, question),
  };
}

export type AccessQuestions = ReturnType<typeof createAccessQuestions>;
