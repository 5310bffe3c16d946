// /v3/users/{user_id}/OS-ROLE-CREDENTIALS: what a person can take along, and offers of it.
import type { IdentityApp } from '../../access/rules/index.ts';
import type { Subject } from '../../directory/two-factor/index.ts';
import { wholeList } from '../../ground/resource/index.ts';
import type { Offers } from './offers.rules.ts';
import { AvailableCredentialList, NewOfferEnvelope, OfferEnvelope } from './role-credentials.schema.ts';

const tag = 'Role credentials';

export function mountCredentialOffers(
  app: IdentityApp,
  modules: { readonly roleCredentials: { readonly offers: Offers }; readonly subject: Subject },
): void {
  const path = '/v3/users/:user_id/OS-ROLE-CREDENTIALS';
  const target = ({ params }: { params: { user_id: string } }) => modules.subject.target(params.user_id);

  app.get(
    `${path}/types`,
    {
      id: 'listAvailableCredentials',
      summary: 'List the credentials that a person can receive',
      description: 'Types of which the person has a role now.',
      tag,
      rule: 'list_available_role_credentials',
      target,
      reply: { 200: AvailableCredentialList },
    },
    async (call) =>
      wholeList(
        call,
        'types',
        (await modules.roleCredentials.offers.available(call.target.id)).map(({ type, configurations }) => ({
          type_id: type.id,
          name: type.name,
          description: type.description,
          credential_configuration_ids: configurations.map(({ id }) => id),
        })),
      ),
  );

  app.post(
    `${path}/offers`,
    {
      id: 'createCredentialOffer',
      summary: 'Offer credentials to a person',
      description:
        'The person follows the link, or scans it. A pre-authorized code, which needs no further sign-in, is only given to the person; it needs a recent login.',
      tag,
      rule: 'create_role_credential_offer',
      target,
      body: NewOfferEnvelope,
      reply: { 201: OfferEnvelope },
    },
    async ({ caller, target: user, body: { offer: wish } }) => {
      const { grant = caller.userId === user.id ? 'pre-authorized_code' : 'authorization_code', tx_code: hasTxCode = true } =
        wish;
      const made = await modules.roleCredentials.offers.make(caller, await modules.subject.toChange(caller, user), user.id, {
        configurationIds: wish.credential_configuration_ids,
        grant,
        hasTxCode: grant === 'pre-authorized_code' && hasTxCode,
      });
      return {
        offer: {
          uri: made.uri,
          credential_configuration_ids: made.configurationIds,
          grant: made.grant,
          tx_code: made.txCode ?? null,
          expires_at: new Date(made.expiresAt * 1000).toISOString(),
        },
      };
    },
  );
}
