import type { Words } from '../en/index.ts';

const of = (one: string, many: string) => (count: number, text: string) => `${text} ${count === 1 ? one : many}`;

export const impact: Words['impact'] = {
  title: 'Con ello se termina o se quita:',
  nothing: 'No se termina ni se quita nada más.',
  unknown: 'No se pudo contar cuánto se termina o se quita con ello.',
  atLeast: (count: string) => `al menos ${count}`,
  counts: {
    sessions: of('sesión', 'sesiones'),
    tokens: of('token', 'tokens'),
    role_assignments: of('rol en organizaciones y dominios', 'roles en organizaciones y dominios'),
    application_role_assignments: of('rol en aplicaciones', 'roles en aplicaciones'),
    groups: of('grupo', 'grupos'),
    memberships: of('pertenencia a un grupo', 'pertenencias a grupos'),
    members: of('miembro pierde lo que da el grupo', 'miembros pierden lo que da el grupo'),
    passkeys: of('llave de acceso', 'llaves de acceso'),
    devices: of('dispositivo recordado', 'dispositivos recordados'),
    credentials: of('credencial', 'credenciales'),
    issued_credentials: of('credencial en una cartera se revoca', 'credenciales en carteras se revocan'),
    provider_accounts: of('enlace con una cuenta ajena', 'enlaces con cuentas ajenas'),
    applications_managed: of('aplicación pierde a quien la administra', 'aplicaciones pierden a quien las administra'),
    users: of('persona', 'personas'),
    users_by_default: of(
      'persona la tiene como organización predeterminada',
      'personas la tienen como organización predeterminada',
    ),
    projects: of('organización', 'organizaciones'),
    roles: of('rol', 'roles'),
    permissions: of('permiso', 'permisos'),
    identity_providers: of('proveedor de identidad', 'proveedores de identidad'),
    connections: of('conexión de aprovisionamiento', 'conexiones de aprovisionamiento'),
    invitations: of('invitación', 'invitaciones'),
    implications: of('implicación', 'implicaciones'),
    consents: of('consentimiento', 'consentimientos'),
  },
};
