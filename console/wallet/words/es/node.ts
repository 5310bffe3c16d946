import type { Words } from '../en/index.ts';

export const node: Words['node'] = {
  title: 'El nodo',
  text: 'El identificador y las claves de este nodo de carteras. Los ve porque usted es administrador.',
  did: 'Identificador del nodo',
  version: (version) => `Versión ${version}`,
};
