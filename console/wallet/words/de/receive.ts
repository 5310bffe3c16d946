import type { Translation } from '../../../shared/languages.ts';
import type { Words } from '../en/index.ts';

export const receive = {
  title: 'Ein Angebot für Sie',
  who: 'Wer es anbietet',
  proofs: {
    certificate: 'Die Beschreibung ist mit einem Zertifikat einer Stelle signiert, der dieser Knoten vertraut.',
    did: 'Die Beschreibung ist mit einem Schlüssel der dezentralen Kennung signiert.',
    beside: 'Es ist der Identitätsdienst, der mit dieser Wallet läuft.',
    https:
      'Die Wallet hat ihn unter dieser Adresse über eine sichere Verbindung erreicht. Den Namen hat der Aussteller selbst gewählt; niemand hat ihn geprüft.',
    none: 'Es ist nicht belegt, wer es ist: Die Verbindung ist nicht sicher. Nehmen Sie nur an, wenn Sie diese Adresse kennen.',
  },
  what: 'Was angeboten wird',
  ownWords: 'Namen und Beschreibungen sind die Worte des Ausstellers.',
  contains: (claims) => `Enthält: ${claims}`,
  notSupported: 'Von dieser Wallet nicht unterstützt',
  nothingUsable: 'Diese Wallet unterstützt keinen der angebotenen Nachweise.',
  decide: 'Annehmen?',
  take: (name) => `${name} empfangen`,
  txCode: 'Transaktionscode',
  txCodeHint:
    'Er steht dort, wo Sie das Angebot gefunden haben, etwa unter dem QR-Code, oder in einer Nachricht oder einem Brief des Ausstellers.',
  txCodeLength: (length, isNumeric) => `Er hat ${length} ${isNumeric ? 'Ziffern' : 'Zeichen'}.`,
  issuerSays: (text) => `Der Aussteller sagt: „${text}“`,
  leads: (host) => `Zur Anmeldung geht es zu ${host} und danach hierher zurück.`,
  accept: 'Annehmen',
  decline: 'Ablehnen',
  declineTitle: 'Dieses Angebot ablehnen?',
  declineText: 'Es wird nichts empfangen. Der Aussteller erfährt nichts davon, und Sie können das Angebot erneut öffnen.',
  received: (count) => (count === 1 ? 'Der Nachweis wurde empfangen.' : `${count} Nachweise wurden empfangen.`),
  outdated: 'Der Aussteller hat sein Angebot geändert, seit Sie es angesehen haben. Das bietet er jetzt an.',
} satisfies Translation<Words['receive']>;
