// German: plain and short, with „Sie“. A file for each area of pages, with the name of the English one.
//
// account Konto · sign in, sign out sich anmelden, sich abmelden · session Sitzung · user name Benutzername · password Passwort
// passkey der Passkey · second factor zweiter Faktor · two-factor authentication Zwei-Faktor-Anmeldung · recovery code Ersatzcode
// application Anwendung · role Rolle · permission Berechtigung · organization Organisation · domain Domäne · group Gruppe
// credential (verifiable) Nachweis · application credential Anwendungszugang · trust Vollmacht · wallet die Wallet · issuer Aussteller
// identity provider Anbieter · directory Verzeichnis · consent Zustimmung · to grant, to take away erteilen, entziehen
// to revoke (a credential) widerrufen · suspended ausgesetzt · locked out gesperrt · disabled deaktiviert · to end beenden
// administrator die Administration · to delete löschen · to remove entfernen · invitation Einladung · device Gerät
import type { Translation } from '../../../../../platform/languages/index.ts';
import type { PageTexts } from '../texts.ts';
import { access } from './access.ts';
import { account } from './account.ts';
import { activity } from './activity.ts';
import { common } from './common.ts';
import { departure } from './departure.ts';
import { directory } from './directory.ts';
import { invitation } from './invitation.ts';
import { otherProviders } from './other-providers.ts';
import { people } from './people.ts';
import { refusals } from './refusals.ts';
import { roleCredentials } from './role-credentials.ts';
import { signIn } from './sign-in.ts';
import { signInRequests } from './sign-in-requests.ts';
import { wallet } from './wallet.ts';

export const words: Translation<PageTexts> = {
  ...common,
  ...signIn,
  ...account,
  ...access,
  ...activity,
  ...people,
  ...departure,
  ...invitation,
  ...otherProviders,
  ...wallet,
  ...roleCredentials,
  ...directory,
  ...refusals,
  ...signInRequests,
};
