// The data a fresh service has.
export { bootstrap, isAdminPassword, type KeepPassword, resetAdminPassword } from './bootstrap.ts';
export { ensureBuiltInApplication } from './built-in-application.ts';
