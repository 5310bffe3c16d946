// Faults: refusals with a code, a status and a text.
import { faultsOf } from './fault.ts';
import { platformFaults } from './table.ts';

export { Fault, type FaultTable, faultsOf } from './fault.ts';
export { platformFaults } from './table.ts';

const platform = faultsOf(platformFaults);
export const fault = platform.fault;
/** The annotation lets TypeScript know that code after a call is unreachable. */
export const fail: typeof platform.fail = platform.fail;
