// What the OpenAPI document says beyond the routes. Loaded when somebody asks for the document.
export { examples } from './examples.ts';
export { IDS } from './ids.ts';
export { REFUSALS } from './refusals.ts';
export { PARAMETERS, TAGS, whoMay } from './texts.ts';
