// Nouns of the base API, from a definition to their routes.

export { deleteRow, findRow, insertRow } from './noun.store.ts';
export { defineNoun, flag, mountNoun, type NounBody, type NounRules, nounRules } from './noun.ts';
