// Attributes of a consumer beyond the fields every consumer has.
import type { Static } from '../../../platform/http/index.ts';
import { extraOf } from '../../ground/resource/index.ts';
import { consumerFields, type UpdateConsumer } from './consumers.schema.ts';
import { checkLinks } from './links.ts';
import { checkOpenidFields } from './openid-fields.ts';
import { checkRedirectUris } from './redirect-uris.ts';

export type ConsumerChanges = Static<typeof UpdateConsumer>['consumer'];

/** Unknown attributes, from the top level of the body or from its `extra`. */
export const extraAttributes = (body: ConsumerChanges): Record<string, unknown> => ({
  ...body.extra,
  ...extraOf(body, consumerFields),
});

export function checkConsumerBody(body: ConsumerChanges): void {
  const extra = extraAttributes(body);
  checkRedirectUris(body.redirect_uris ?? []);
  checkOpenidFields(extra);
  checkLinks(extra);
}
