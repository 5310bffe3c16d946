import type { Translation } from '../../../shared/languages.ts';
import type { Words } from '../en/index.ts';

export const organizations = {
  title: 'Organisationen',
  project: 'Organisation',
  domain: 'Domäne',
  domains: 'Domänen',
  group: 'Gruppe',
  groups: 'Gruppen',
  name: 'Name',
  description: 'Beschreibung',
  tags: 'Schlagwörter',
  tagsHint: 'Durch Kommas getrennt. Programme finden Organisationen danach.',
  badTag: 'Ein Schlagwort hat keinen Schrägstrich.',
  members: 'Mitglieder',
  roles: 'Rollen',
  settings: 'Einstellungen',
  list: 'Liste',
  tree: 'Baum',
  path: 'Wo sie ist',
  what: 'Organisationen (Name, Id)',
  whatGroups: 'Gruppen (Name, Id)',
  whatDomains: 'Domänen (Name, Id)',
  nothingFound: (search) => `Zu „${search}“ wurde nichts gefunden. Namen werden an ihren ersten Buchstaben gefunden.`,
  created: (name) => `${name} wurde angelegt.`,
  delete: 'Löschen',
  deleted: (name) => `${name} wurde gelöscht.`,
  deleteTitle: (name) => `${name} löschen?`,
  deleteGroupText: 'Die Mitglieder bleiben und verlieren die Rollen, die von der Gruppe kommen.',
  deleteTexts: {
    project: 'Die Organisation wird endgültig gelöscht, mit allen Rollen in ihr. Es darf keine Organisationen darunter geben.',
    domain:
      'Alles in der Domäne wird endgültig gelöscht: Personen, Gruppen und Organisationen. Sie muss zuerst deaktiviert werden.',
  },
  disableTexts: {
    project: 'Niemand kann mehr in ihr handeln. Token für sie enden. Rollen bleiben.',
    domain: 'Niemand aus der Domäne kann sich mehr anmelden, und niemand kann in ihren Organisationen handeln.',
  },
  enableText: 'Sie kann wieder benutzt werden.',

  noGroups: 'Es gibt noch keine Gruppen. Eine Gruppe gibt vielen auf einmal dieselben Rollen.',
  newGroup: 'Neue Gruppe',
  addMember: 'Mitglied hinzufügen',
  addMemberTitle: (group) => `Mitglied zu ${group} hinzufügen`,
  memberAdded: 'Das Mitglied wurde hinzugefügt.',
  memberRemoved: 'Das Mitglied wurde entfernt.',
  noMembers: 'Noch ist niemand in der Gruppe. Fügen Sie das erste Mitglied hinzu.',

  noOrganizations: 'Es gibt noch keine Organisationen. Legen Sie eine an, und geben Sie dann Personen Rollen darin.',
  newOrganization: 'Neue Organisation',
  newBelow: (name) => `Neue Organisation unter ${name}`,
  parent: 'Unter',
  parentHint: 'Eine andere Organisation. Wenn Sie es leer lassen, steht sie ganz oben in ihrer Domäne.',
  below: (name) => `Organisationen unter ${name}`,
  belowTab: 'Darunter',
  nothingBelow: 'Nichts darunter.',
  more: (count) => `Die ersten ${count} werden gezeigt. Andere finden Sie mit der Suche der Liste.`,

  noDomains: 'Es gibt keine Domänen.',
  newDomain: 'Neue Domäne',
  newDomainText:
    'Personen, Gruppen und Organisationen einer Domäne werden getrennt von anderen verwaltet. Den meisten genügt eine Domäne.',
} satisfies Translation<Words['organizations']>;
