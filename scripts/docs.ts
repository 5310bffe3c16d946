// `npm run docs`: writes every document that is printed from the code.
import { writeDocuments } from './documents.ts';

writeDocuments();
