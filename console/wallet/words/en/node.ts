export const node = {
  title: 'The node',
  text: 'The identifier and the keys of this wallet node itself. You see them because you are an administrator.',
  did: 'Identifier of the node',
  version: (version: string) => `Version ${version}`,
};
