// What clients send of a consumer beside the fields every consumer has.
import type { Static } from '../../platform/http/index.ts';
import { extraOf } from '../resource/index.ts';
import { consumerFields, type UpdateConsumer } from './consumers.schema.ts';
import { checkOpenidFields } from './openid-fields.ts';
import { checkRedirectUris } from './redirect-uris.ts';

export type ConsumerChanges = Static<typeof UpdateConsumer>['consumer'];

/** What is kept beyond the fields we know, wherever in the body it was. */
export const extraIn = (body: ConsumerChanges): Record<string, unknown> => ({ ...body.extra, ...extraOf(body, consumerFields) });

export function checkSent(body: ConsumerChanges): void {
  checkRedirectUris(body.redirect_uris ?? []);
  checkOpenidFields(extraIn(body));
}
