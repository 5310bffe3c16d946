/** How the service looks. */
export const look = {
  intro:
    'What people see at the top of every page, in mails, and beside the title in the browser. It takes effect when it is saved.',
  texts: 'Name, colour and links',
  readOnly: 'Only administrators of the service can change it. The values are among the settings.',
  fixed: 'The operator has given the logo as a file:',
  preview: 'The sign-in page',
  previewText: 'With what is entered now, also before it is saved. Nothing on it works.',
  light: 'Light',
  dark: 'Dark',
  computer: 'Computer',
  phone: 'Phone',
  pictures: {
    logo: {
      title: 'Logo',
      about: 'Instead of the gate, at the top of every page and in mails.',
      save: 'Use this logo',
      saved: 'The logo is changed.',
      remove: 'Remove the logo',
      removeText: 'People then see the gate, and the name of the service.',
      removed: 'The logo is removed.',
    },
    favicon: {
      title: 'Icon in the browser',
      about: 'A square picture. Without one, browsers show the logo.',
      save: 'Use this icon',
      saved: 'The icon is changed.',
      remove: 'Remove the icon',
      removeText: 'Browsers then show the logo, if there is one.',
      removed: 'The icon is removed.',
    },
  },
};
