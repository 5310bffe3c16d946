// What an e-mail address may consist of, wherever it comes from. Whether mail can be sent to it is another question.

/** Invisible ones, and those that turn the direction of writing. As ranges: clients read the pattern, and not all know `\p{Cf}`. */
const HIDDEN = '\\u00ad\\u061c\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f';
/** No blanks, control or hidden characters, markup or lists: pages, mails and applications show addresses, and some take them apart. */
export const PLAIN_ADDRESS = `^[^\\s\\u0000-\\u001f\\u007f-\\u009f${HIDDEN}<>"\\\\(),:;\\[\\]]*$`;
const plain = new RegExp(PLAIN_ADDRESS, 'u');

export const isPlainAddress = (value: unknown): value is string => typeof value === 'string' && plain.test(value);
