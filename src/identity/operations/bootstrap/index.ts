// Creates the data of a new service.
export {
  bootstrap,
  type DeliverPassword,
  isAdminPassword,
  localNameOf,
  resetAdminPassword,
  warnWithoutAdministrator,
} from './bootstrap.ts';
export { ensureBuiltInApplication } from './built-in-application.ts';
