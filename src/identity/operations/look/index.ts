// How the service looks: its logo and icon, and a preview of the sign-in page. Name, colour and links are settings (ground/settings).
export { mountLook, renderPreview } from './look.routes.ts';
export { createLookManagement, type LookManagement } from './look.rules.ts';
