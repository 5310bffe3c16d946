import type { Translation } from '../../../shared/languages.ts';
import type { Words } from '../en/index.ts';

export const options = {
  title: 'Ausnahmen von den Regeln für Konten',
  text: 'Für einzelne Konten, zum Beispiel die von Programmen. Die Regeln selbst sind Einstellungen des Dienstes.',
  ignore_password_expiry: 'Das Passwort läuft nicht ab',
  ignore_lockout_failure_attempts: 'Falsche Passwörter sperren das Konto nicht',
  ignore_change_password_upon_first_use: 'Ein von der Administration gesetztes Passwort darf bleiben',
  ignore_user_inactivity: 'Wird nicht deaktiviert, wenn es niemand benutzt',
  ignore_two_factor_policy: 'Braucht keinen zweiten Faktor, auch wo ihn alle haben müssen',
  lock_password: 'Die Person darf das Passwort nicht ändern',
  lock_password_hint: 'Die Administration kann es weiterhin.',
  multi_factor_auth_enabled: 'Für einen Token ist eine der Kombinationen unten nötig',
  multi_factor_auth_rules: 'Kombinationen von Anmeldemethoden',
  multi_factor_auth_rules_hint:
    'Eine je Zeile, Methoden durch Kommas getrennt, zum Beispiel: password, totp. Leer: Jede Methode genügt.',
  badCombination: (line) => `„${line}“ ist keine Liste von Methoden: Buchstaben und Unterstriche, durch Kommas getrennt.`,
} satisfies Translation<Words['options']>;
