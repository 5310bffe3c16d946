// Nouns of the base API, from a definition to their routes.

export { deleteRow, findRow, insertRow } from './noun.store.ts';
export { createNoun, defineNoun, flag, mountNoun, type NounBody, type NounRules } from './noun.ts';
