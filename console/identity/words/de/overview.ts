import type { Translation } from '../../../shared/languages.ts';
import type { Words } from '../en/index.ts';

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

export const overview = {
  title: 'Übersicht',
  welcome: (name) => `Willkommen, ${name}`,
  useMenu:
    'Das Menü zeigt, was Sie verwalten dürfen. Wenn Sie in mehreren Rollen handeln, wählen Sie oben auf der Seite eine andere.',
  moreThan: 'über ',
  counts: {
    users: (count) => (count === 1 ? 'Person' : 'Personen'),
    groups: (count) => (count === 1 ? 'Gruppe' : 'Gruppen'),
    projects: (count) => (count === 1 ? 'Organisation' : 'Organisationen'),
    domains: (count) => (count === 1 ? 'Domäne' : 'Domänen'),
    applications: (count) => (count === 1 ? 'Anwendung' : 'Anwendungen'),
  },
  logins: 'Anmeldungen des letzten Tages',
  loginsText: (logins, refused) => `Angemeldet: ${logins}. Abgelehnt: ${refused}.`,
  hour: (time, logins, refused) => `${time}: ${logins} angemeldet, ${refused} abgelehnt`,
  hourTitle: 'Stunde',
  loginsLegend: 'Angemeldet',
  refusedLegend: 'Abgelehnt',
  asTable: 'Als Tabelle',
  attentionTitle: 'Was Aufmerksamkeit braucht',
  nothing: 'Zurzeit nichts.',
  look: 'Ansehen',
  severities: { critical: 'Dringend', warning: 'Bald', info: 'Hinweis' },
  attention: {
    administrator_without_factor: (name, _count) =>
      `Das Administrationskonto ${name} hat weder einen zweiten Faktor noch einen Passkey.`,
    scim_connection_fails: (name, count) =>
      `Bereitstellung durch ${name}: Am letzten Tag ${counted(count, 'Anfrage wurde', 'Anfragen wurden')} abgelehnt.`,
    scim_connection_quiet: (name, count) =>
      `Die Bereitstellung durch ${name} wurde seit ${counted(count, 'Tag', 'Tagen')} nicht benutzt.`,
    directory_away: (name, _count) => `Das Verzeichnis (LDAP) der Domäne ${name} antwortet nicht.`,
    certificate_expires: (_name, count) => `Das TLS-Zertifikat läuft in ${counted(count, 'Tag', 'Tagen')} ab.`,
    issuer_certificate_expires: (_name, count) =>
      `Das Zertifikat des Ausstellers von Nachweisen läuft in ${counted(count, 'Tag', 'Tagen')} ab.`,
    verifier_certificate_expires: (_name, count) =>
      `Das Zertifikat der Anfragen an Wallets läuft in ${counted(count, 'Tag', 'Tagen')} ab.`,
    password_file: (_name, _count) =>
      'Die Datei admin-password liegt noch im Datenordner. Lesen Sie sie, und entfernen Sie sie dann.',
    no_backup: (_name, count) =>
      count > 0 ? `Die letzte Sicherung ist ${counted(count, 'Tag', 'Tage')} alt.` : 'Es gibt noch keine Sicherung.',
    backup_failed: (_name, _count) => 'Die letzte Sicherung ist fehlgeschlagen.',
    registrations_wait: (_name, count) =>
      count >= 100
        ? 'Mehr als 100 Personen warten auf Zustimmung.'
        : `${counted(count, 'Person wartet', 'Personen warten')} auf Zustimmung.`,
    imported_hashes: (_name, count) =>
      `${counted(count, 'Person hat noch einen importierten Hash', 'Personen haben noch importierte Hashes')}.`,
    replica_silent: (_name, count) =>
      `${counted(count, 'Prozess des Dienstes ist', 'Prozesse des Dienstes sind')} verstummt. Wer es bleibt, wird nach einer Stunde vergessen.`,
    delivery_failed: (_name, count) => `${counted(count, 'Nachricht konnte', 'Nachrichten konnten')} nicht zugestellt werden.`,
  },
  serviceTitle: 'Der Dienst',
  version: 'Version',
  health: 'Zustand',
  healths: { ok: 'Gut', unavailable: 'Die Datenbank antwortet nicht' },
  latency: (milliseconds) => `(Datenbank: ${milliseconds} ms)`,
} satisfies Translation<Words['overview']>;
