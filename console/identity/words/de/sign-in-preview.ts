// Was geschieht, wenn sich jemand anmeldet.
import type { Translation } from '../../../shared/languages.ts';
import type { Words } from '../en/index.ts';

export const signInPreview = {
  title: (name) => `Was geschieht, wenn sich ${name} anmeldet`,
  choose: 'Was geschieht, wenn sich jemand anmeldet',
  show: 'Zeigen',
  notRefused: 'Nichts weist diese Person als Ganzes ab.',
  refused: 'abgewiesen',
  refusals: {
    user_disabled: 'Das Konto ist gesperrt: Nichts lässt die Person hinein.',
    user_inactive: 'Das Konto wurde zu lange nicht benutzt: Nichts lässt die Person hinein.',
    domain_of_user_disabled: 'Die Domäne ist gesperrt: Nichts lässt die Person hinein.',
  },
  ways: {
    password: 'Passwort',
    directory: 'Passwort des Verzeichnisses',
    passkey: 'Passkey',
    wallet: 'Wallet',
    provider: 'Anbieter',
  },
  provider: (name) => `Anbieter ${name}`,
  home: 'Die Domäne der E-Mail-Adresse führt dorthin.',
  open: 'offen',
  closed: 'nicht offen',
  hidden: 'nur für Administratoren',
  why: {
    none: 'Es gibt keinen, oder er ist nicht verknüpft.',
    off: 'Für die Domäne ist es aus, oder an der Adresse des Dienstes nicht möglich.',
    locked_out: 'Gesperrt nach falschen Passwörtern.',
    provider_off: 'Der Anbieter kann gerade nicht benutzt werden.',
    account_closed: 'Das Konto ist geschlossen.',
    gone: 'Die Person ist nicht mehr im Verzeichnis.',
  },
  until: 'Bis',
  paused: 'Nach falschen Passwörtern warten weitere Versuche ein wenig, bis',
  asksNothing: 'Weiter wird nichts verlangt.',
  next: (steps) => `Dann: ${steps}.`,
  and: ', dann ',
  or: ' oder ',
  asks: {
    new_password: 'ein neues Passwort, denn dieses ist abgelaufen',
    code: 'ein Code',
    passkey: 'ein Passkey',
    wallet: 'ein Wallet',
    new_passkey: 'ein Passkey muss hinzugefügt werden',
  },
  factorOn: (devices) => `Der zweite Faktor ist an. Gemerkte Geräte, auf denen kein Code verlangt wird: ${devices}.`,
  factorOff: 'Es gibt keinen zweiten Faktor.',
  codesLocked: 'Nach zu vielen falschen Codes gilt keiner bis',
  settings: 'Die Einstellungen, die es entscheiden, und woher jede kommt',
  notSet: 'nicht gesetzt',
} satisfies Translation<Words['signInPreview']>;
