// Two-factor authentication: codes, the security question, recovery codes, and remembered devices.
// codes.rules.ts and totp.ts are the codes, enable.rules.ts turns the factor on and off, devices.* are remembered, guesses.ts limits wrong
// codes. requirements.ts is what an account asks of its logins.
export { mountDevices } from './devices.routes.ts';
export { createDevices, type Devices } from './devices.rules.ts';
export { createFactor, type Factor } from './factor.rules.ts';
export { answersKey, clearGuesses, codeLockFilter, findCodeLocks } from './guesses.ts';
export { qrCode } from './qr.ts';
export { createLoginRequirements, type LoginRequirements, type Missing } from './requirements.ts';
export { createSubject, type Subject } from './subject.ts';
export { fromBase32, matchingStep, STEPS_SET_BACK } from './totp.ts';
export { mountTwoFactor } from './two-factor.routes.ts';
