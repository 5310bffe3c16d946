// What the service itself says of the pages: their document, and how a phone installs them. All other texts are in console/wallet/words.
import { inEveryLanguage } from '../../platform/languages/index.ts';

const en = {
  name: 'Gatehouse Wallet',
  short: 'Wallet',
  description: 'Receives credentials, and shows of them what you agree to.',
  open: 'Receive or share',
  history: 'History',
  withoutScripts: 'This page needs JavaScript. The API of the wallet works without it: /api/v1/wallet.',
};

/** As they are written. */
export const WRITTEN = {
  en,
  es: {
    name: 'Cartera Gatehouse',
    short: 'Cartera',
    description: 'Recibe credenciales y muestra de ellas lo que usted acepte.',
    open: 'Recibir o compartir',
    history: 'Historial',
    withoutScripts: 'Esta página necesita JavaScript. La API de la cartera funciona sin él: /api/v1/wallet.',
  },
  de: {
    name: 'Gatehouse Wallet',
    short: 'Wallet',
    description: 'Empfängt Nachweise und zeigt davon, was Sie freigeben.',
    open: 'Empfangen oder teilen',
    history: 'Verlauf',
    withoutScripts: 'Diese Seite braucht JavaScript. Die API der Wallet funktioniert auch ohne: /api/v1/wallet.',
  },
};

export const WORDS = inEveryLanguage(WRITTEN);
