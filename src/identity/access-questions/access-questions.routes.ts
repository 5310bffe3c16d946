// /v3/auth/OS-ACCESS: what the caller may do

import type { IdentityApp } from '../access/index.ts';
import { wholeList } from '../resource/index.ts';
import { allowedRules, SUBJECTS } from './allowed.rules.ts';
import { Allowed } from './allowed.schema.ts';

const tag = 'Access';

export function mountAccessQuestions(app: IdentityApp): void {
  app.get(
    '/v3/auth/OS-ACCESS/allowed',
    {
      summary: 'List the rules (x-policy of each operation) that let this token pass, for what the parameters name',
      tag,
      rule: 'identity:get_allowed',
      documentation: { query: SUBJECTS },
      reply: { 200: Allowed },
    },
    async (call) => wholeList(call, 'allowed', await allowedRules(app.routes, call)),
  );
}
