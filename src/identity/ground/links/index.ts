// Links in mails: single-use random tokens that expire.
export { createLinks, type Link, type Links, linkTo, type NewLink, type Purpose } from './links.ts';
