// What errors of the API mean to people, by their code.
export const problems = {
  explanations: {
    forbidden: { title: 'Not allowed', text: 'This is for administrators of the node. Ask one of them.' },
    'invalid-offer': { title: 'This offer cannot be used', text: 'Ask the issuer for a new one.' },
    'offer-spent': { title: 'This offer was already used', text: 'Ask the issuer for a new one.' },
    'tx-code-required': {
      title: 'A transaction code is needed',
      text: 'It is where you found the offer, or in a message or a letter of the issuer.',
    },
    'tx-code-rejected': {
      title: 'The issuer does not accept this code',
      text: 'Check it and enter it again. Some issuers allow few attempts.',
    },
    'authorization-refused': { title: 'The issuer did not give access', text: 'Open the offer again, and sign in there.' },
    'untrusted-issuer': {
      title: 'This node does not trust the issuer',
      text: 'Nothing was stored. Ask the administrator of the node.',
    },
    'unsupported-format': { title: 'This wallet supports none of the offered credentials', text: '' },
    'unsupported-proof-type': { title: 'The issuer asks for a proof that this wallet cannot give', text: '' },
    'unsupported-encryption-required': { title: 'The issuer asks for an encryption that this wallet does not have', text: '' },
    'credential-rejected': {
      title: 'The credential did not pass the checks',
      text: 'Nothing was stored. The wallet reported this to the issuer. Ask the issuer for help.',
    },
    'issuance-denied': { title: 'The issuer refused to issue it', text: 'Ask the issuer why.' },
    'no-matching-credential': { title: 'You have nothing that answers this request', text: '' },
    'selection-does-not-match': { title: 'What you chose does not answer the request', text: 'Choose again.' },
    'untrusted-verifier': { title: 'This verifier cannot be trusted', text: 'It did not prove who it is. Nothing was shared.' },
    'unsupported-transaction-data': {
      title: 'The request asks you to confirm something that this wallet does not understand',
      text: 'Nothing was shared.',
    },
    'invalid-presentation-request': {
      title: 'This request cannot be answered',
      text: 'Nothing was shared. Ask the verifier for a new one.',
    },
    'preview-outdated': { title: 'It has changed since you looked', text: 'Look again.' },
    'request-already-answered': { title: 'This request was already answered', text: 'You find the answer in your history.' },
    'exchange-finished': { title: 'This is already finished', text: 'You find it in your history.' },
    'exchange-busy': { title: 'It is being worked on', text: 'Wait a moment, then try again.' },
    'exchange-expired': { title: 'This has expired', text: 'Ask for a new link.' },
    'blocked-address': {
      title: 'The link leads to an address that this node may not call',
      text: 'It is not public, or not secure. Nothing was sent there.',
    },
    'verifier-refused': { title: 'The verifier did not accept the answer', text: 'What it received is in your history.' },
    'upstream-error': { title: 'The other side gave no usable answer', text: 'Try again later, or ask for a new link.' },
    'upstream-timeout': { title: 'The other side did not answer in time', text: 'Try again later.' },
    'last-key-of-published-did': {
      title: 'It is the last key of a published identifier',
      text: 'Make a new key with it, or withdraw the identifier first.',
    },
    'key-in-use': { title: 'The key is in use', text: 'Revoke it first.' },
    'alias-taken': { title: 'You already have one with this name', text: 'Choose another name.' },
    'did-exists': { title: 'This name is taken', text: 'It belongs to somebody for good. Choose another one.' },
    'did-in-use': { title: 'Credentials are bound to this identifier', text: 'Delete them first, or keep the identifier.' },
    'quota-exceeded': { title: 'Your wallet is full', text: 'Delete what you no longer need.' },
  },
};
