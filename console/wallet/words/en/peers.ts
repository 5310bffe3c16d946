export const peers = {
  verified: 'Verified',
  notVerified: 'Name not verified',
  addressOnly: 'Known by its address only',
  name: 'Its name:',
  callsItself: 'It calls itself',
};
