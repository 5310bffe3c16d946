import type { Translation } from '../../../shared/languages.ts';
import type { Words } from '../en/index.ts';

export const open = {
  title: 'Empfangen oder teilen',
  text: 'Wer Nachweise ausstellt oder prüft, gibt Ihnen einen Link oder einen QR-Code. Öffnen Sie ihn hier: Sie sehen zuerst, wer es ist und worum es geht. Nichts wird angenommen oder geteilt, bevor Sie zustimmen.',
  paste: 'Link einfügen',
  link: 'Link',
  linkHint: 'Er beginnt mit openid-credential-offer://, openid4vp:// oder https://',
  look: 'Ansehen',
  noLink: 'Das ist kein Link, um Nachweise zu empfangen oder zu zeigen.',
  scan: 'QR-Code scannen',
  scanText: 'Der Code wird auf diesem Gerät gelesen; es wird kein Bild gesendet.',
  startCamera: 'Kamera starten',
  cameraUnsupported:
    'Dieser Browser gibt dieser Seite keine Kamera: Er gibt sie nur über eine sichere Verbindung (https). Fügen Sie den Link ein, oder wählen Sie ein Bild des Codes.',
  picture: 'Oder ein Bild des Codes wählen',
  noCode: 'In diesem Bild ist kein Code, um Nachweise zu empfangen oder zu zeigen.',
  noCamera: 'Die Kamera kann nicht benutzt werden. Erlauben Sie sie dieser Seite in den Einstellungen des Browsers.',
  cameraPicture: 'Was die Kamera sieht',
  holdCode: 'Halten Sie den Code vor die Kamera.',
  handler: 'Links mit dieser Wallet öffnen',
  handlerText:
    'Manche Seiten bieten Links an, die mit web+openidcredentialoffer oder web+openidvp beginnen. Der Browser kann sie mit dieser Wallet öffnen.',
  register: 'Diese Wallet anmelden',
  registered: 'Der Browser fragt, ob er solche Links mit dieser Wallet öffnen darf.',
  offerTitle: 'Jemand bietet Ihnen einen Nachweis an',
  requestTitle: 'Jemand bittet um Ihre Nachweise',
  offerText: 'Sie sind einem Link mit einem Angebot gefolgt. Um zu sehen, was angeboten wird, fragt die Wallet den Aussteller.',
  requestText:
    'Sie sind einem Link mit einer Anfrage gefolgt. Um zu sehen, worum gebeten wird, liest die Wallet sie. Dabei wird nichts geteilt.',
  willAsk: 'Die Wallet würde sich wenden an:',
  willAskNobody: 'Die Wallet würde sich dafür an niemanden wenden.',
} satisfies Translation<Words['open']>;
