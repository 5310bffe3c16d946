// Faults: how anything is refused.
import { faultsOf } from './fault.ts';
import { platformFaults } from './table.ts';

export { Fault, type FaultTable, faultsOf } from './fault.ts';
export { platformFaults } from './table.ts';

const platform = faultsOf(platformFaults);
export const fault = platform.fault;
/** Annotated, so that TypeScript knows nothing after a call is reached. */
export const fail: typeof platform.fail = platform.fail;
