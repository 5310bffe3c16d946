import type { Words } from '../en/index.ts';

export const provisioning: Words['provisioning'] = {
  title: 'Aprovisionamiento',
  intro:
    'Entra, Okta y otros crean, cambian y desactivan personas aquí mediante SCIM. Cada uno tiene una conexión con su propio token, para un dominio.',
  create: 'Nueva conexión',
  createText: 'La conexión puede cambiar las personas, grupos y organizaciones de un dominio, y nada más.',
  name: 'Nombre',
  domain: 'Dominio',
  domainHint: 'Mejor un dominio propio: así no puede cambiar otras cuentas.',
  made: 'Creada',
  lastUsed: 'Último uso',
  never: 'nunca',
  empty: 'Todavía no hay conexiones. Cree una e indique en Entra u Okta su token y la dirección de abajo.',
  madeTitle: 'La conexión está lista',
  token: 'Token',
  address: 'Dirección (tenant URL, base URL)',
  valuesTitle: 'Qué indicar allí',
  entra:
    'Entra: Aplicaciones empresariales, Aprovisionamiento, Nueva configuración. «URL de inquilino» es la dirección, «Token secreto» es el token.',
  okta: 'Okta: Provisioning, Configure API Integration. «SCIM 2.0 Base Url» es la dirección, «OAuth Bearer Token» es el token, el identificador único es userName.',
  removeTitle: (name: string) => `Quitar la conexión ${name}`,
  removeText: 'Su token deja de valer de inmediato. Las personas y grupos que creó permanecen.',
};
