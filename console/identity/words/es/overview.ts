import type { Words } from '../en/index.ts';

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

export const overview: Words['overview'] = {
  title: 'Resumen',
  welcome: (name: string) => `Le damos la bienvenida, ${name}`,
  useMenu: 'El menú muestra lo que usted puede administrar. Si actúa con varios roles, elija otro arriba en la página.',
  moreThan: 'más de ',
  counts: {
    users: (count: number) => (count === 1 ? 'persona' : 'personas'),
    groups: (count: number) => (count === 1 ? 'grupo' : 'grupos'),
    projects: (count: number) => (count === 1 ? 'organización' : 'organizaciones'),
    domains: (count: number) => (count === 1 ? 'dominio' : 'dominios'),
    applications: (count: number) => (count === 1 ? 'aplicación' : 'aplicaciones'),
  },
  logins: 'Inicios de sesión del último día',
  loginsText: (logins: string, refused: string) => `Inicios de sesión: ${logins}. Rechazados: ${refused}.`,
  hour: (time: string, logins: string, refused: string) => `${time}: inicios de sesión ${logins}, rechazados ${refused}`,
  hourTitle: 'Hora',
  loginsLegend: 'Inicios de sesión',
  refusedLegend: 'Rechazados',
  asTable: 'Como tabla',
  attentionTitle: 'Lo que requiere atención',
  nothing: 'Nada por ahora.',
  look: 'Ver',
  severities: { critical: 'Urgente', warning: 'Pronto', info: 'Nota' },
  attention: {
    administrator_without_factor: (name: string, _count: number) =>
      `${name} administra y no tiene ni segundo factor ni llave de acceso.`,
    scim_connection_fails: (name: string, count: number) =>
      `Aprovisionamiento de ${name}: ${counted(count, 'solicitud rechazada', 'solicitudes rechazadas')} en el último día.`,
    scim_connection_quiet: (name: string, count: number) =>
      `El aprovisionamiento de ${name} no se usa desde hace ${counted(count, 'día', 'días')}.`,
    directory_away: (name: string, _count: number) => `El directorio (LDAP) del dominio ${name} no responde.`,
    certificate_expires: (_name: string, count: number) => `El certificado TLS caduca en ${counted(count, 'día', 'días')}.`,
    issuer_certificate_expires: (_name: string, count: number) =>
      `El certificado del emisor de credenciales caduca en ${counted(count, 'día', 'días')}.`,
    verifier_certificate_expires: (_name: string, count: number) =>
      `El certificado de las peticiones a carteras caduca en ${counted(count, 'día', 'días')}.`,
    password_file: (_name: string, _count: number) =>
      'El archivo admin-password sigue en la carpeta de datos. Léalo y elimínelo.',
    no_backup: (_name: string, count: number) =>
      count > 0 ? `La última copia de seguridad tiene ${counted(count, 'día', 'días')}.` : 'Todavía no hay copia de seguridad.',
    backup_failed: (_name: string, _count: number) => 'La última copia de seguridad ha fallado.',
    registrations_wait: (_name, count) =>
      count >= 100
        ? 'Más de 100 personas esperan la aprobación.'
        : `${counted(count, 'persona espera', 'personas esperan')} la aprobación.`,
    imported_hashes: (_name, count) =>
      `${counted(count, 'persona tiene todavía un hash importado', 'personas tienen todavía hashes importados')}.`,
    replica_silent: (_name: string, count: number) =>
      `${counted(count, 'proceso del servicio dejó', 'procesos del servicio dejaron')} de dar señales. Quien siga así se olvida al cabo de una hora.`,
    delivery_failed: (_name: string, count: number) =>
      `No se ${count === 1 ? 'ha' : 'han'} podido entregar ${counted(count, 'mensaje', 'mensajes')}.`,
  },
  serviceTitle: 'El servicio',
  version: 'Versión',
  health: 'Estado',
  healths: { ok: 'Bien', unavailable: 'La base de datos no responde' },
  latency: (milliseconds: number) => `(base de datos: ${milliseconds} ms)`,
};
