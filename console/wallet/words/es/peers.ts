import type { Words } from '../en/index.ts';

export const peers: Words['peers'] = {
  verified: 'Verificado',
  notVerified: 'Nombre sin verificar',
  addressOnly: 'Solo se conoce su dirección',
  name: 'Su nombre:',
  callsItself: 'Se hace llamar',
};
