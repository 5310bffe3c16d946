export const overview = {
  title: 'Overview',
  welcome: (name: string) => `Welcome, ${name}`,
};
