// How pages and mails for the people of a domain look: its settings (group `look`), its logo and its icon, and the service for the rest.
export { createDomainLooks, type DomainLooks } from './domain-looks.rules.ts';
