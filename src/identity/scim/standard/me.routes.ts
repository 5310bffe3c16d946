// /scim/v2/Me is the user who asks (RFC 7644, 3.11); what they may change of themselves is for the policy to say.
import { Answer } from '../../../platform/http/index.ts';
import { type IdentityApp, PROVISIONING } from '../../access/index.ts';
import { userType } from '../core/definitions.ts';
import { Message, resourceSchema } from '../core/openapi.ts';
import { expecting } from '../core/requests.ts';
import type { Scim } from '../core/scim.rules.ts';
import { contextOf, locationOf, patched, ROOT, read, type ScimCall, shown, tag } from './answers.ts';
import { aliased, CHANGED, replaced, SHOWN } from './documentation.ts';
import { operationsOf, users } from './operations.ts';

const access = PROVISIONING;

export function mountMe(app: IdentityApp, parts: { readonly scim: Scim }): void {
  const { show, replace, patch } = operationsOf(users, () => parts.scim);
  const Me = resourceSchema(userType);
  const path = `${ROOT}/Me`;

  /** In every answer of an alias, Location is where the resource itself is. */
  async function located(call: ScimCall, answer: Promise<Answer>): Promise<Answer> {
    const { status = 200, headers, text } = await answer;
    const Location = locationOf(parts.scim.users, contextOf(call), call.caller.userId);
    return new Answer({ status, headers: { ...headers, Location }, ...(text === undefined ? {} : { text }) });
  }

  app.get(
    path,
    {
      summary: 'Show the caller',
      tag,
      access,
      rule: show.rule,
      // Wherever the token acts, people may see themselves.
      target: (call) => parts.scim.users.target({ ...contextOf(call), domainId: undefined }, call.caller.userId),
      documentation: aliased(SHOWN),
      reply: { 200: Me, 304: null },
    },
    (call) => located(call, read(parts.scim.users, call, call.target)),
  );
  app.put(
    path,
    {
      summary: 'Replace the caller',
      tag,
      access,
      rule: replace.rule,
      target: (call) => replace.target(contextOf(call), call.caller.userId),
      body: Message,
      documentation: aliased(replaced(userType)),
      reply: { 200: Me },
    },
    async (call) => {
      const expect = expecting(call.headers['if-match']);
      const row = await replace.handler({ context: contextOf(call), target: call.target, data: call.body, expect });
      return located(call, shown(parts.scim.users, call, row, 200));
    },
  );
  app.patch(
    path,
    {
      summary: 'Change the caller',
      tag,
      access,
      rule: patch.rule,
      target: (call) => patch.target(contextOf(call), call.caller.userId),
      body: Message,
      documentation: aliased(CHANGED),
      reply: { 204: null, 200: Me },
    },
    async (call) => {
      const expect = expecting(call.headers['if-match']);
      const row = await patch.handler({ context: contextOf(call), target: call.target, data: call.body, expect });
      return located(call, patched(parts.scim.users, call, row));
    },
  );
}
