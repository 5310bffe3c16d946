// Pages for forgotten passwords, registration, and another e-mail address.

export { createNewEmailPage, type NewEmailDeps, type NewEmailPage } from './new-email.ts';
export { createPeoplePages, type PeoplePages, type PeoplePagesDeps } from './people.ts';
export { askedFields } from './people-pages.ts';
