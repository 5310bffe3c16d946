// `npm run docs`: writes every document that is generated from the code.
import { writeDocuments } from './documents.ts';

writeDocuments();
