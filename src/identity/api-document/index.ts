// What the OpenAPI document says beyond the routes. Loaded when somebody asks for the document.
export { IDS } from './ids.ts';
export { PARAMETERS } from './parameters.ts';
export { examples, refusals } from './recorded.ts';
export { TAGS } from './tags.ts';
export { whoMay } from './who.ts';
