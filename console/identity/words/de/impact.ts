import type { Translation } from '../../../shared/languages.ts';
import type { Words } from '../en/index.ts';

const of = (one: string, many: string) => (count: number, text: string) => `${text} ${count === 1 ? one : many}`;

export const impact = {
  title: 'Damit endet oder verschwindet auch:',
  nothing: 'Sonst endet oder verschwindet damit nichts.',
  unknown: 'Wie viel damit endet oder verschwindet, ließ sich nicht zählen.',
  atLeast: (count) => `mindestens ${count}`,
  counts: {
    sessions: of('Sitzung', 'Sitzungen'),
    tokens: of('Token', 'Token'),
    role_assignments: of('Rolle in Organisationen und Domänen', 'Rollen in Organisationen und Domänen'),
    application_role_assignments: of('Rolle in Anwendungen', 'Rollen in Anwendungen'),
    groups: of('Gruppe', 'Gruppen'),
    memberships: of('Mitgliedschaft in einer Gruppe', 'Mitgliedschaften in Gruppen'),
    members: of('Mitglied verliert, was die Gruppe gibt', 'Mitglieder verlieren, was die Gruppe gibt'),
    passkeys: of('Passkey', 'Passkeys'),
    devices: of('gemerktes Gerät', 'gemerkte Geräte'),
    credentials: of('Schlüssel eines Programms', 'Schlüssel von Programmen'),
    issued_credentials: of('Nachweis in einer Wallet wird widerrufen', 'Nachweise in Wallets werden widerrufen'),
    provider_accounts: of('Verbindung zu einem Konto anderswo', 'Verbindungen zu Konten anderswo'),
    applications_managed: of('Anwendung verliert einen Verwalter', 'Anwendungen verlieren einen Verwalter'),
    users: of('Person', 'Personen'),
    users_by_default: of('Person hat sie als Standardorganisation', 'Personen haben sie als Standardorganisation'),
    projects: of('Organisation', 'Organisationen'),
    roles: of('Rolle', 'Rollen'),
    permissions: of('Berechtigung', 'Berechtigungen'),
    identity_providers: of('Identitätsanbieter', 'Identitätsanbieter'),
    connections: of('Verbindung zur Bereitstellung', 'Verbindungen zur Bereitstellung'),
    invitations: of('Einladung', 'Einladungen'),
    implications: of('Einschluss', 'Einschlüsse'),
    consents: of('Zustimmung', 'Zustimmungen'),
  },
} satisfies Translation<Words['impact']>;
