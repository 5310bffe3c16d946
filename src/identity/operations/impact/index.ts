// What a deletion would end and remove, in numbers.
export { mountImpact } from './impact.routes.ts';
