import type { Translation } from '../../../shared/languages.ts';
import type { Words } from '../en/index.ts';

export const problems = {
  explanations: {
    forbidden: { title: 'Nicht erlaubt', text: 'Das ist der Administration des Knotens vorbehalten. Wenden Sie sich an sie.' },
    'invalid-offer': {
      title: 'Dieses Angebot kann nicht verwendet werden',
      text: 'Bitten Sie den Aussteller um ein neues.',
    },
    'offer-spent': { title: 'Dieses Angebot wurde schon verwendet', text: 'Bitten Sie den Aussteller um ein neues.' },
    'tx-code-required': {
      title: 'Ein Transaktionscode ist nötig',
      text: 'Er steht dort, wo Sie das Angebot gefunden haben, oder in einer Nachricht oder einem Brief des Ausstellers.',
    },
    'tx-code-rejected': {
      title: 'Der Aussteller nimmt diesen Code nicht an',
      text: 'Prüfen Sie ihn, und geben Sie ihn erneut ein. Manche Aussteller erlauben nur wenige Versuche.',
    },
    'authorization-refused': {
      title: 'Der Aussteller hat keinen Zugang gegeben',
      text: 'Öffnen Sie das Angebot erneut, und melden Sie sich dort an.',
    },
    'untrusted-issuer': {
      title: 'Dieser Knoten vertraut dem Aussteller nicht',
      text: 'Es wurde nichts gespeichert. Fragen Sie die Administration des Knotens.',
    },
    'unsupported-format': { title: 'Diese Wallet unterstützt keinen der angebotenen Nachweise', text: '' },
    'unsupported-proof-type': {
      title: 'Der Aussteller verlangt einen Beleg, den diese Wallet nicht geben kann',
      text: '',
    },
    'unsupported-encryption-required': {
      title: 'Der Aussteller verlangt eine Verschlüsselung, die diese Wallet nicht hat',
      text: '',
    },
    'credential-rejected': {
      title: 'Der Nachweis hat die Prüfungen nicht bestanden',
      text: 'Es wurde nichts gespeichert. Die Wallet hat das dem Aussteller gemeldet. Bitten Sie den Aussteller um Hilfe.',
    },
    'issuance-denied': { title: 'Der Aussteller stellt ihn nicht aus', text: 'Fragen Sie den Aussteller, warum.' },
    'no-matching-credential': { title: 'Sie haben nichts, was diese Anfrage beantwortet', text: '' },
    'selection-does-not-match': {
      title: 'Ihre Auswahl beantwortet die Anfrage nicht',
      text: 'Wählen Sie erneut.',
    },
    'untrusted-verifier': {
      title: 'Wer hier fragt, ist nicht vertrauenswürdig',
      text: 'Es wurde nicht belegt, wer es ist. Es wurde nichts geteilt.',
    },
    'unsupported-transaction-data': {
      title: 'Die Anfrage verlangt, etwas zu bestätigen, das diese Wallet nicht versteht',
      text: 'Es wurde nichts geteilt.',
    },
    'invalid-presentation-request': {
      title: 'Diese Anfrage kann nicht beantwortet werden',
      text: 'Es wurde nichts geteilt. Bitten Sie dort um eine neue.',
    },
    'preview-outdated': { title: 'Es hat sich geändert, seit Sie es angesehen haben', text: 'Sehen Sie es erneut an.' },
    'request-already-answered': {
      title: 'Diese Anfrage wurde schon beantwortet',
      text: 'Die Antwort finden Sie im Verlauf.',
    },
    'exchange-finished': { title: 'Das ist schon abgeschlossen', text: 'Sie finden es im Verlauf.' },
    'exchange-busy': { title: 'Das ist gerade in Arbeit', text: 'Warten Sie einen Moment, und versuchen Sie es erneut.' },
    'exchange-expired': { title: 'Das ist abgelaufen', text: 'Bitten Sie um einen neuen Link.' },
    'blocked-address': {
      title: 'Der Link führt zu einer Adresse, die dieser Knoten nicht aufrufen darf',
      text: 'Sie ist nicht öffentlich oder nicht sicher. Dorthin wurde nichts gesendet.',
    },
    'verifier-refused': { title: 'Die Antwort wurde nicht angenommen', text: 'Was gesendet wurde, steht im Verlauf.' },
    'upstream-error': {
      title: 'Die Gegenseite gab keine brauchbare Antwort',
      text: 'Versuchen Sie es später erneut, oder bitten Sie um einen neuen Link.',
    },
    'upstream-timeout': {
      title: 'Die Gegenseite hat nicht rechtzeitig geantwortet',
      text: 'Versuchen Sie es später erneut.',
    },
    'last-key-of-published-did': {
      title: 'Das ist der letzte Schlüssel einer veröffentlichten Kennung',
      text: 'Erstellen Sie dabei einen neuen Schlüssel, oder ziehen Sie zuerst die Kennung zurück.',
    },
    'key-in-use': { title: 'Der Schlüssel wird benutzt', text: 'Widerrufen Sie ihn zuerst.' },
    'alias-taken': { title: 'Etwas mit diesem Namen haben Sie schon', text: 'Wählen Sie einen anderen Namen.' },
    'did-exists': {
      title: 'Dieser Name ist vergeben',
      text: 'Er gehört für immer jemandem. Wählen Sie einen anderen.',
    },
    'did-in-use': {
      title: 'An diese Kennung sind Nachweise gebunden',
      text: 'Löschen Sie zuerst diese, oder behalten Sie die Kennung.',
    },
    'quota-exceeded': { title: 'Ihre Wallet ist voll', text: 'Löschen Sie, was Sie nicht mehr brauchen.' },
  },
} satisfies Translation<Words['problems']>;
