// Registration of people by a program with an administrator's token, as Keyrock's portal did it: activation keys and reset tokens.
// keys.rules.ts has the keys; waiting.rules.ts those who wait until an administrator
// confirms them, however they registered; fields.ts what people are asked. /v3/OS-REGISTRATION
export {
  asksWholeName,
  checkedFields,
  FIELDS,
  type FieldName,
  type FieldUses,
  type FieldValues,
  fieldUsesOf,
  profileOf,
} from './fields.ts';
export { createRegistrationKeys, type RegistrationKeys } from './keys.rules.ts';
export { mountRegistration } from './registration.routes.ts';
export { createRegistration, type Registration } from './registration.rules.ts';
export { mountWaiting } from './waiting.routes.ts';
export { createWaiting, MAX_WAITING_COUNT, type Waiting } from './waiting.rules.ts';
