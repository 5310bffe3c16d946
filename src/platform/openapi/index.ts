// The OpenAPI documents, made from the routes of an App. Nothing of it is loaded before somebody asks for a document.
export { type ErrorFamily, type Examples, type OpenApiOptions, openApi } from './openapi.ts';
export { operationId } from './operation-ids.ts';
