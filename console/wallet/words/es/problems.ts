import type { Words } from '../en/index.ts';

export const problems: Words['problems'] = {
  explanations: {
    forbidden: { title: 'No está permitido', text: 'Es para quienes administran el nodo. Pídaselo a ellos.' },
    'invalid-offer': { title: 'Esta oferta no se puede usar', text: 'Pida otra al emisor.' },
    'offer-spent': { title: 'Esta oferta ya se ha usado', text: 'Pida otra al emisor.' },
    'tx-code-required': {
      title: 'Hace falta un código de la operación',
      text: 'Está donde encontró la oferta, o en un mensaje o una carta del emisor.',
    },
    'tx-code-rejected': {
      title: 'El emisor no acepta este código',
      text: 'Compruébelo e introdúzcalo de nuevo. Algunos emisores permiten pocos intentos.',
    },
    'authorization-refused': { title: 'El emisor no dio acceso', text: 'Abra la oferta de nuevo e inicie sesión allí.' },
    'untrusted-issuer': {
      title: 'Este nodo no confía en el emisor',
      text: 'No se ha guardado nada. Pregunte al administrador del nodo.',
    },
    'unsupported-format': { title: 'Esta cartera no admite ninguna de las credenciales ofrecidas', text: '' },
    'unsupported-proof-type': { title: 'El emisor pide una prueba que esta cartera no puede dar', text: '' },
    'unsupported-encryption-required': { title: 'El emisor pide un cifrado que esta cartera no tiene', text: '' },
    'credential-rejected': {
      title: 'La credencial no ha superado las comprobaciones',
      text: 'No se ha guardado nada y se ha avisado al emisor. Avísele usted también.',
    },
    'issuance-denied': { title: 'El emisor se negó a emitirla', text: 'Pregunte al emisor por qué.' },
    'no-matching-credential': { title: 'No tiene nada que responda a esta petición', text: '' },
    'selection-does-not-match': { title: 'Lo que ha elegido no responde a la petición', text: 'Elija de nuevo.' },
    'untrusted-verifier': {
      title: 'No se puede confiar en este verificador',
      text: 'No ha probado quién es. No se ha compartido nada.',
    },
    'unsupported-transaction-data': {
      title: 'La petición le pide confirmar algo que esta cartera no entiende',
      text: 'No se ha compartido nada.',
    },
    'invalid-presentation-request': {
      title: 'Esta petición no se puede responder',
      text: 'No se ha compartido nada. Pida otra al verificador.',
    },
    'preview-outdated': { title: 'Ha cambiado desde que usted lo vio', text: 'Mírelo de nuevo.' },
    'request-already-answered': { title: 'Esta petición ya se respondió', text: 'La respuesta está en su historial.' },
    'exchange-finished': { title: 'Esto ya ha terminado', text: 'Está en su historial.' },
    'exchange-busy': { title: 'Se está trabajando en ello', text: 'Espere un momento e inténtelo de nuevo.' },
    'exchange-expired': { title: 'Esto ha caducado', text: 'Pida un enlace nuevo.' },
    'blocked-address': {
      title: 'El enlace lleva a una dirección a la que este nodo no puede llamar',
      text: 'No es pública, o no es segura. No se ha enviado nada allí.',
    },
    'verifier-refused': { title: 'El verificador no aceptó la respuesta', text: 'Lo que recibió está en su historial.' },
    'upstream-error': {
      title: 'La otra parte no dio una respuesta que sirva',
      text: 'Inténtelo más tarde o pida un enlace nuevo.',
    },
    'upstream-timeout': { title: 'La otra parte no respondió a tiempo', text: 'Inténtelo más tarde.' },
    'last-key-of-published-did': {
      title: 'Es la última clave de un identificador publicado',
      text: 'Cree una clave nueva a la vez, o retire antes el identificador.',
    },
    'key-in-use': { title: 'La clave está en uso', text: 'Revóquela primero.' },
    'alias-taken': { title: 'Ya tiene uno con este nombre', text: 'Elija otro nombre.' },
    'did-exists': { title: 'Este nombre está ocupado', text: 'Pertenece a alguien para siempre. Elija otro.' },
    'did-in-use': {
      title: 'Hay credenciales vinculadas a este identificador',
      text: 'Bórrelas antes, o conserve el identificador.',
    },
    'quota-exceeded': { title: 'Su cartera está llena', text: 'Borre lo que ya no necesite.' },
  },
};
