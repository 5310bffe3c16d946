// Español: un archivo por pantalla.
import type { Words } from '../en/index.ts';
import { apis } from './apis.ts';
import { applications } from './applications.ts';
import { audit } from './audit.ts';
import { credentials } from './credentials.ts';
import { domainSettings } from './domain-settings.ts';
import { events } from './events.ts';
import { frame } from './frame.ts';
import { grants } from './grants.ts';
import { impact } from './impact.ts';
import { look } from './look.ts';
import { mail } from './mail.ts';
import { options } from './options.ts';
import { organizations } from './organizations.ts';
import { overview } from './overview.ts';
import { people } from './people.ts';
import { providers } from './providers.ts';
import { provisioning } from './provisioning.ts';
import { registering } from './registering.ts';
import { registration } from './registration.ts';
import { selfRegistration } from './self-registration.ts';
import { service } from './service.ts';
import { settings } from './settings.ts';
import { signInPreview } from './sign-in-preview.ts';
import { snippets } from './snippets.ts';
import { trySignIn } from './try-sign-in.ts';
import { why } from './why.ts';

export const words: Words = {
  apis,
  applications,
  audit,
  credentials,
  events,
  domainSettings,
  frame,
  grants,
  impact,
  look,
  mail,
  options,
  organizations,
  overview,
  people,
  providers,
  provisioning,
  registering,
  registration,
  selfRegistration,
  service,
  settings,
  signInPreview,
  snippets,
  trySignIn,
  why,
};
