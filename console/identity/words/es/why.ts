import type { Words } from '../en/index.ts';
import type { MissingNames } from '../en/why.ts';

export const why: Words['why'] = {
  title: '¿Por qué?',
  intro: '¿Puede esta persona hacer algo en algún lugar? La respuesta muestra el camino que lleva al sí, o lo que falta.',
  person: 'Persona',
  where: 'Dónde',
  places: { application: 'Aplicación', project: 'Organización', domain: 'Dominio', system: 'Todo el sistema' },
  role: 'Rol',
  roleHint: 'Vacío: cualquier rol.',
  permission: 'Permiso',
  permissionHint: 'Vacío: cualquier permiso.',
  ask: 'Preguntar',
  yes: 'Sí',
  no: 'No',
  yesText: (name: string, where: string) => `${name} puede, ${where}`,
  noText: (name: string, where: string) => `${name} no puede, ${where}`,
  inSystem: 'en todo el sistema',
  inDomain: (name: string) => `en el dominio ${name}`,
  inOrganization: (name: string) => `en la organización ${name}`,
  inApplication: (name: string) => `en la aplicación ${name}`,
  pathTo: (role: string) => `El camino al rol ${role}`,
  more: 'Hay más caminos.',
  missingTitle: 'Lo que falta',
  needs: (what: string) => `Para iniciar sesión, la persona necesita: ${what}.`,
  needed: { second_factor: 'un segundo factor', passkey: 'una llave de acceso' },
  openAccount: (name: string) => `Abrir la cuenta de ${name}`,
  openHolders: (name: string) => `Abrir quién tiene roles de ${name}`,
  openMatrix: (name: string) => `Abrir los roles y permisos de ${name}`,
  openPerson: (name: string) => `Abrir los roles de ${name}`,
  steps: {
    group: (group: string) => `es miembro del grupo ${group}`,
    grant: (role: string, where: string) => `recibió el rol ${role} ${where}`,
    inherited: (role: string, where: string) => `recibió el rol ${role} ${where}, para todo lo que hay debajo`,
    implied: (role: string, by: string) => `el rol ${by} incluye ${role}`,
    organization: (name: string) => `es miembro de la organización ${name}`,
    ownOrganization: (name: string) => `${name} es su propia organización`,
    assignment: (role: string, organization: string) =>
      `tiene el rol ${role} de la aplicación en la organización ${organization}`,
    permission: (role: string, permission: string) => `el rol ${role} tiene el permiso ${permission}`,
  },
  missing: {
    user_missing: (_: MissingNames): string => 'No existe esa persona.',
    user_disabled: (_: MissingNames): string => 'La cuenta está desactivada. Actívela.',
    domain_of_user_disabled: (_: MissingNames): string => 'El dominio de la persona está desactivado. Actívelo.',
    user_inactive: (_: MissingNames): string => 'La cuenta no se ha usado durante demasiado tiempo. Vuelva a activarla.',
    user_not_usable: (_: MissingNames): string => 'La cuenta no se puede usar por ahora.',
    scope_missing: ({ scope }: MissingNames): string => `No existe nada ${scope}.`,
    scope_disabled: ({ scope }: MissingNames): string => `Está desactivado: ${scope}. Actívelo.`,
    domain_of_scope_disabled: ({ scope }: MissingNames): string => `Su dominio está desactivado: ${scope}. Actívelo.`,
    no_role: ({ scope }: MissingNames): string => `La persona no tiene ningún rol${scope === '' ? '' : ` ${scope}`}. Dele uno.`,
    role_not_held: ({ role }: MissingNames): string => `La persona no tiene el rol ${role}. Déselo.`,
    domain_role: ({ role }: MissingNames): string =>
      `${role} es un rol de un dominio y solo funciona a través de un rol que lo incluya.`,
    held_elsewhere: ({ role, scope }: MissingNames): string => `El rol ${role} solo se tiene ${scope}.`,
    provider_may_not_give: ({ role, scope }: MissingNames): string =>
      `Solo un proveedor dio el rol ${role} ${scope}, y no puede nombrar administradores.`,
    not_a_member: ({ role, organization }: MissingNames): string =>
      `La persona recibió el rol ${role} en la organización ${organization}, pero no es miembro de ella. Dele un rol allí.`,
    organization_disabled: ({ organization }: MissingNames): string =>
      `La organización ${organization} está desactivada. Actívela.`,
    permission_not_in_roles: ({ roles }: MissingNames): string =>
      `Ninguno de los roles de la persona tiene el permiso${roles === '' ? '' : ` (${roles})`}.`,
    roles_with_permission: ({ roles }: MissingNames): string =>
      roles === '' ? 'Ningún rol tiene todavía el permiso. Márquelo en la aplicación.' : `Roles que tienen el permiso: ${roles}.`,
  },
};
