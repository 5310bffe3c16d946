import type { Words } from '../en/index.ts';

/** El aspecto del servicio. */
export const look: Words['look'] = {
  intro:
    'Lo que se ve en la parte superior de cada página, en los correos y junto al título en el navegador. Tiene efecto al guardarlo.',
  texts: 'Nombre, color y enlaces',
  readOnly: 'Solo los administradores del servicio pueden cambiarlo. Los valores están entre los ajustes.',
  fixed: 'El operador ha dado el logotipo como archivo:',
  preview: 'La página de inicio de sesión',
  previewText: 'Con lo que está escrito ahora, también antes de guardarlo. Nada en ella funciona.',
  light: 'Claro',
  dark: 'Oscuro',
  computer: 'Ordenador',
  phone: 'Teléfono',
  pictures: {
    logo: {
      title: 'Logotipo',
      about: 'En lugar de la puerta, en la parte superior de cada página y en los correos.',
      save: 'Usar este logotipo',
      saved: 'El logotipo se ha cambiado.',
      remove: 'Quitar el logotipo',
      removeText: 'Después se ven la puerta y el nombre del servicio.',
      removed: 'El logotipo se ha quitado.',
    },
    favicon: {
      title: 'Icono en el navegador',
      about: 'Una imagen cuadrada. Sin ella, los navegadores muestran el logotipo.',
      save: 'Usar este icono',
      saved: 'El icono se ha cambiado.',
      remove: 'Quitar el icono',
      removeText: 'Después los navegadores muestran el logotipo, si lo hay.',
      removed: 'El icono se ha quitado.',
    },
  },
};
