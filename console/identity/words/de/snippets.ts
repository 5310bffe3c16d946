import type { Translation } from '../../../shared/languages.ts';
import type { Words } from '../en/index.ts';

export const snippets = {
  discovery: 'Alles über den Anbieter',
  node: 'Anmelden, mit Node.js und openid-client',
  device: 'Auf einem Gerät anmelden',
  service: 'Ein Token für die Anwendung selbst',
  proxy: 'Fragen eines Proxys',
  insecure:
    'Nur zum Ausprobieren auf einer einzigen Maschine: Diese Adresse ist nicht verschlüsselt. Mit einer https-Adresse lassen Sie das weg.',
  nodeRun: 'Speichern Sie dies als sign-in.mjs. Dann:',
  nodeCookie: 'Die Antwort wird nur in dem Browser angenommen, der gefragt hat.',
  nodePerson: 'Hier beginnt Ihre Sitzung. Ein Code gilt einmal: Wer diese Seite neu lädt, muss sich neu anmelden.',
  nodeOpen: (address) => `Öffnen Sie ${address}`,
  deviceBegin: 'Beginnen. Zeigen Sie der Person user_code und verification_uri aus der Antwort.',
  devicePoll:
    'Alle 5 Sekunden, bis die Person es erlaubt hat: nach den Token fragen. $DEVICE_CODE ist der device_code der Antwort.',
  proxyToken: 'Wem gehört dieser Zugriffstoken, und ist er gültig?',
  proxyPermissions: 'Was darf diese Person in der Anwendung? ($TOKEN: ein Token des Kontos des Proxys, mit der Rolle "service")',
} satisfies Translation<Words['snippets']>;
