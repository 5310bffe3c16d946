// Links in mails: single-use random tokens that expire.
export { createLinks, type Link, type Links, type NewLink, type Purpose } from './links.ts';
