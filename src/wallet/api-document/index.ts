// What the OpenAPI document says beyond the routes. Loaded when somebody asks for the document.
export { IDS } from './ids.ts';
export { examples, refusals } from './recorded.ts';
export { PARAMETERS, TAGS, whoMay } from './texts.ts';
