// Screens of the console with credentials about roles, and their acts.
import { words } from '../../console/identity/words/en/index.ts';
import type { Act, ConsoleScreen, ConsoleWorld } from './console-acts.ts';

const { credentials } = words;
const any = (text: (...names: string[]) => string): RegExp => new RegExp(`^${text('.+', '.+')}$`);

/** Of the credential that the user of the world has in a wallet, which is valid. */
export function issuedActs({ issued }: ConsoleWorld): Act[] {
  const ids = { credential_id: issued.id };
  const path = `/v3/OS-ROLE-CREDENTIALS/credentials/${issued.id}`;
  return [
    {
      name: any(credentials.suspendTitle),
      rule: 'update_issued_credential',
      ids,
      request: ['PATCH', path, { credential: { state: 'suspended' } }],
    },
    { name: any(credentials.revokeTitle), rule: 'revoke_issued_credential', ids, request: ['DELETE', path] },
  ];
}

export function applicationCredentialActs(world: ConsoleWorld): Act[] {
  const { application, credentialType } = world;
  const inApplication = { application_id: application.id };
  const type = { type_id: credentialType.id };
  const path = `/v3/OS-ROLE-CREDENTIALS/types/${credentialType.id}`;
  const target = `/v3/OS-ROLE-CREDENTIALS/targets/${application.id}`;
  const { name } = credentialType;
  return [
    {
      name: credentials.create,
      rule: 'create_credential_type',
      ids: inApplication,
      request: [
        'POST',
        '/v3/OS-ROLE-CREDENTIALS/types',
        { credential_type: { id: 'x', name: 'x', application_id: application.id } },
      ],
    },
    {
      name: credentials.changeTitle(name),
      rule: 'update_credential_type',
      ids: type,
      request: ['PATCH', path, { credential_type: { description: 'x' } }],
    },
    { name: credentials.disableTitle(name), rule: 'update_credential_type', ids: type },
    { name: credentials.removeTitle(name), rule: 'delete_credential_type', ids: type, request: ['DELETE', path] },
    {
      name: credentials.setDid,
      rule: 'set_credential_target',
      ids: inApplication,
      request: ['PUT', target, { target: { did: 'did:web:x.example' } }],
    },
    { name: credentials.useId, rule: 'set_credential_target', ids: inApplication, request: ['DELETE', target] },
    ...issuedActs(world),
  ];
}

export const credentialScreens = (world: ConsoleWorld): ConsoleScreen[] => [
  { route: '/credentials', path: '/credentials', opens: ['list_issued_credentials'], acts: issuedActs(world) },
];
