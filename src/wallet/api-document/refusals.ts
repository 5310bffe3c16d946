// Refusals that do not follow from a route: faults by the id of its operation.

export const REFUSALS: Readonly<Record<string, readonly string[]>> = {};
