// Screens of the console with other providers, and their acts.
import { words } from '../../console/identity/words/en/index.ts';
import { texts } from '../../console/shared/words/en.ts';
import type { Act, ConsoleScreen, ConsoleWorld } from './console-acts.ts';

const { people, providers } = words;

export function providerScreens({ idp }: ConsoleWorld): ConsoleScreen[] {
  const one = `/v3/OS-FEDERATION/identity_providers/${idp}`;
  const ids = { idp_id: idp };
  const update = 'identity:update_identity_provider';
  const heading: Act[] = [
    {
      name: people.enable,
      rule: update,
      ids,
      request: ['PATCH', one, { identity_provider: { description: 'x' } }],
    },
    { name: people.delete, rule: 'identity:delete_identity_provider', ids, request: ['DELETE', one] },
  ];
  const tab = (name: string, acts: readonly Act[]): ConsoleScreen => ({
    route: '/providers/:id',
    path: `/providers/${idp}${name === '' ? '' : `?tab=${name}`}`,
    opens: ['identity:get_identity_provider'],
    ids,
    acts: [...heading, ...acts],
  });
  return [
    {
      route: '/providers',
      path: '/providers',
      opens: ['identity:list_identity_providers'],
      acts: [
        {
          name: providers.add,
          rule: 'identity:create_identity_provider',
          request: ['POST', '/v3/OS-FEDERATION/provider_metadata', { metadata: { issuer: 'ftp://nowhere.example' } }],
        },
      ],
    },
    { route: '/new-provider', path: '/new-provider', acts: [] },
    { route: '/tried-provider', path: '/tried-provider', acts: [] },
    tab('', [{ name: texts.save, rule: update, ids }]),
    tab('mapping', [
      { name: providers.tryBegin, rule: update, ids, request: ['POST', `${one}/sign_in_attempts`, {}] },
      { name: providers.tryClaims, rule: update, ids, request: ['POST', `${one}/mapping_trials`, { trial: { claims: {} } }] },
      ...[providers.asText, texts.save].map((name) => ({ name, rule: update, ids })),
    ]),
    {
      needs: [update],
      ...tab('people', [{ name: providers.endSessions, rule: update, ids, request: ['DELETE', `${one}/sessions`] }]),
    },
  ];
}
