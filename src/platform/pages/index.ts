// Pages that run in the browser (console/): their files, served without a build step, and the document that loads them.
export { type ApiPagesOptions, apiPageRoutes, createApiPages } from './api-pages.ts';
export { type PageDocument, type PageDocumentOptions, pageDocument } from './document.ts';
export { createPageFiles, type PageFile, type PageFiles, sendPageFile } from './files.ts';
export { createGuidePages, guideRoutes } from './guide-pages.ts';
