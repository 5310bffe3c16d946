import type { Words } from '../en/index.ts';

const of = (one: string, many: string) => (count: number, text: string) => `${text} ${count === 1 ? one : many}`;

export const impact: Words['impact'] = {
  title: 'Con ello se termina o se quita:',
  nothing: 'No se termina ni se quita nada más.',
  unknown: 'No se pudo contar cuánto se termina o se quita con ello.',
  moreThan: (count: string) => `más de ${count}`,
  counts: {
    sessions: of('sesión', 'sesiones'),
    tokens: of('token de acceso', 'tokens de acceso'),
    passkeys: of('llave de acceso', 'llaves de acceso'),
    groups: of('pertenencia a un grupo', 'pertenencias a grupos'),
    roles: of('rol en organizaciones y dominios', 'roles en organizaciones y dominios'),
    applicationRoles: of('rol en aplicaciones', 'roles en aplicaciones'),
    members: of('miembro pierde lo que da el grupo', 'miembros pierden lo que da el grupo'),
    people: of('cuenta', 'cuentas'),
    allGroups: of('grupo', 'grupos'),
    organizations: of('organización', 'organizaciones'),
  },
};
