import type { Translation } from '../../../../../platform/languages/index.ts';
import type { PageTexts } from '../texts.ts';

export const signInRequests = {
  requestsWait: 'Wartet auf Ihre Antwort',
  requestsText:
    'Erlauben Sie nur, was Sie gerade selbst begonnen haben oder mit jemandem, der bei Ihnen ist. Gibt es einen Text zum Vergleichen, muss es der sein, den Sie dort sehen oder hören.',
  requestTitle: (application) => `${application} bittet Sie, sich anzumelden`,
  requestCompare: 'Vergleichen Sie:',
  requestMay: 'Sie hätte Zugriff auf:',
  requestFrom: 'gefragt',
  requestAddress: (address) => `von ${address}`,
  requestUntil: 'endet',
  refuseRequest: 'Ablehnen',
  requestIsAllowed: 'Sie haben es erlaubt. Machen Sie dort weiter, wo Sie begonnen haben.',
  requestIsRefused: 'Sie haben es abgelehnt. Die Anwendung bekommt nichts.',
  requestIsOver:
    'Es gibt nichts mehr zu beantworten: Die Frage ist beendet oder schon beantwortet, oder die Anwendung hat sich seitdem geändert.',
  requestNeedsMore:
    'Die Anwendung verlangt eine stärkere Anmeldung als Ihre. Richten Sie zuerst unter „Sicherheit“ einen Passkey oder einen zweiten Faktor ein.',
  whoMayAsk: 'Wer Sie um eine Anmeldung bitten darf',
  whoMayAskText:
    'Anwendungen können Sie bitten, sich anzumelden, während Sie woanders sind: an einem Schalter oder am Telefon. Sie sehen es hier und bekommen eine Mail.',
  mayAskLabel: 'Fragen darf',
  mayAsk: {
    all: 'Jede Anwendung, der die Administration es erlaubt',
    code: 'Nur wer meinen Code kennt',
    none: 'Niemand',
  },
  askCode: 'Code (6 bis 32 Buchstaben und Ziffern)',
  askCodeWrong: 'Der Code muss 6 bis 32 Buchstaben und Ziffern haben.',
  saveChoice: 'Speichern',
  choiceIsSaved: 'Gespeichert ist, wer Sie fragen darf.',
} satisfies Translation<PageTexts>;
