// What an e-mail address may consist of, wherever it comes from. Whether mail can be sent to it is another question.

/** No blanks, control characters, markup or lists: pages, mails and applications show addresses, and some take them apart. */
export const PLAIN_ADDRESS = '^[^\\s\\u0000-\\u001f\\u007f<>"\\\\(),:;\\[\\]]*$';
const plain = new RegExp(PLAIN_ADDRESS, 'u');

export const isPlainAddress = (value: unknown): value is string => typeof value === 'string' && plain.test(value);
