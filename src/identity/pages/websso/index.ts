// /v3/auth/OS-FEDERATION/websso: signing in to a dashboard such as Horizon.

export { createWebssoHandler, type WebssoHandler } from './websso.ts';
