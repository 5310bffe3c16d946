// /scim/v2/Me: the calling user (RFC 7644, 3.11). The policy decides what they may change.
import { Answer } from '../../../../platform/http/index.ts';
import { type IdentityApp, PROVISIONING } from '../../../access/rules/index.ts';
import { userType } from '../core/definitions.ts';
import { Message, resourceSchema } from '../core/openapi.ts';
import { preconditionOf } from '../core/requests.ts';
import type { Scim } from '../core/scim.rules.ts';
import { contextOf, locationOf, patchAnswer, ROOT, readAnswer, resourceAnswer, type ScimCall, tag } from './answers.ts';
import { PATCH_DOCUMENTATION, replaceDocumentation, SHOW_DOCUMENTATION, withUserLocation } from './documentation.ts';
import { operationsOf, users } from './operations.ts';

const access = PROVISIONING;

export function mountMe(app: IdentityApp, modules: { readonly scim: Scim }): void {
  const { show, replace, patch } = operationsOf(users, () => modules.scim);
  const Me = resourceSchema(userType);
  const path = `${ROOT}/Me`;

  /** Every reply of an alias has the URL of the resource itself as Location. */
  async function withLocation(call: ScimCall, answer: Promise<Answer>): Promise<Answer> {
    const { status = 200, headers, text } = await answer;
    const Location = locationOf(modules.scim.users, contextOf(call), call.caller.userId);
    return new Answer({ status, headers: { ...headers, Location }, ...(text === undefined ? {} : { text }) });
  }

  app.get(
    path,
    {
      id: 'getScimMe',
      summary: 'Show the caller',
      tag,
      access,
      rule: show.rule,
      // Users may see themselves in any domain.
      target: (call) => modules.scim.users.target({ ...contextOf(call), domainId: undefined }, call.caller.userId),
      documentation: withUserLocation(SHOW_DOCUMENTATION),
      reply: { 200: Me, 304: null },
    },
    (call) => withLocation(call, readAnswer(modules.scim.users, call, call.target)),
  );
  app.put(
    path,
    {
      id: 'replaceScimMe',
      summary: 'Replace the caller',
      tag,
      access,
      rule: replace.rule,
      target: (call) => replace.target(contextOf(call), call.caller.userId),
      body: Message,
      documentation: withUserLocation(replaceDocumentation(userType)),
      reply: { 200: Me },
    },
    async (call) => {
      const expect = preconditionOf(call.headers['if-match']);
      const row = await replace.handler({ context: contextOf(call), target: call.target, data: call.body, expect });
      return withLocation(call, resourceAnswer(modules.scim.users, call, row, 200));
    },
  );
  app.patch(
    path,
    {
      id: 'updateScimMe',
      summary: 'Change the caller',
      tag,
      access,
      rule: patch.rule,
      target: (call) => patch.target(contextOf(call), call.caller.userId),
      body: Message,
      documentation: withUserLocation(PATCH_DOCUMENTATION),
      reply: { 204: null, 200: Me },
    },
    async (call) => {
      const expect = preconditionOf(call.headers['if-match']);
      const row = await patch.handler({ context: contextOf(call), target: call.target, data: call.body, expect });
      return withLocation(call, patchAnswer(modules.scim.users, call, row));
    },
  );
}
