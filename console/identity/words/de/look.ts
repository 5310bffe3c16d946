import type { Translation } from '../../../shared/languages.ts';
import type { Words } from '../en/index.ts';

export const look = {
  intro: 'Was oben auf jeder Seite, in Mails und neben dem Titel im Browser zu sehen ist. Es gilt, sobald es gespeichert ist.',
  texts: 'Name, Farbe und Links',
  readOnly: 'Nur die Administration des Dienstes kann das ändern. Die Werte stehen unter den Einstellungen.',
  fixed: 'Der Betreiber hat das Logo als Datei vorgegeben:',
  preview: 'Die Anmeldeseite',
  previewText: 'Mit dem, was jetzt eingegeben ist, auch vor dem Speichern. Nichts darauf funktioniert.',
  light: 'Hell',
  dark: 'Dunkel',
  computer: 'Computer',
  phone: 'Telefon',
  pictures: {
    logo: {
      title: 'Logo',
      about: 'Anstelle des Tors, oben auf jeder Seite und in Mails.',
      save: 'Dieses Logo verwenden',
      saved: 'Das Logo ist geändert.',
      remove: 'Logo entfernen',
      removeText: 'Dann sind das Tor und der Name des Dienstes zu sehen.',
      removed: 'Das Logo ist entfernt.',
    },
    favicon: {
      title: 'Symbol im Browser',
      about: 'Ein quadratisches Bild. Ohne eines zeigen Browser das Logo.',
      save: 'Dieses Symbol verwenden',
      saved: 'Das Symbol ist geändert.',
      remove: 'Symbol entfernen',
      removeText: 'Dann zeigen Browser das Logo, wenn es eines gibt.',
      removed: 'Das Symbol ist entfernt.',
    },
  },
} satisfies Translation<Words['look']>;
