// What the OpenAPI document says beyond the routes. Loaded when somebody asks for the document.
export { examples } from './examples.ts';
export { IDS } from './ids.ts';
export { PARAMETERS } from './parameters.ts';
export { REFUSALS } from './refusals.ts';
export { TAGS } from './tags.ts';
export { isForEverybody, whoMay } from './who.ts';
