import type { Words } from '../en/index.ts';

export const overview: Words['overview'] = {
  title: 'Resumen',
  welcome: (name: string) => `Le damos la bienvenida, ${name}`,
};
