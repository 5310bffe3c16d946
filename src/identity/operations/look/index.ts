// How the service looks, and each domain: logo and icon, and a preview of the sign-in page. Name, colour and links are settings (ground/settings,
// directory/domain-settings).
export { mountDomainLook } from './domain-look.routes.ts';
export { createDomainLookManagement, type DomainLookManagement } from './domain-look.rules.ts';
export { mountLook, renderPreview } from './look.routes.ts';
export { createLookManagement, type LookManagement } from './look.rules.ts';
