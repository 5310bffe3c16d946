// Nouns of the base API, from a definition to their routes.

export { insertNounRow, replaceNounRow } from './imported.rules.ts';
export { mountNoun } from './noun.routes.ts';
export { deleteRow, findRow, insertRow, type RowOf } from './noun.store.ts';
export {
  defineNoun,
  exampleId,
  flag,
  type Noun,
  type NounBody,
  type NounDeps,
  type Nouns,
  nounRules,
} from './noun.ts';
