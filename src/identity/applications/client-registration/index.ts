// Applications that register themselves (ADR 028): RFC 7591 and RFC 7592, by the policy of a domain. policy.ts is what the policy says,
// metadata.ts what an application may say of itself, names.ts which names are refused; register.rules.ts and manage.rules.ts are the requests of
// strangers, tokens.rules.ts and registered.rules.ts those of administrators, sign-in.rules.ts and live.ts are asked at each use.
export { CLIENTS_PATH } from './client-information.ts';
export { type ClientRegistration, createClientRegistration } from './client-registration.rules.ts';
export { mountClientRegistration } from './clients.routes.ts';
export { REGISTRATIONS_LIMIT } from './deps.ts';
export { FETCHES_LIMIT, HOST_FETCHES_LIMIT } from './fetched-documents.ts';
export { mountRegisteredApplications } from './registered.routes.ts';
