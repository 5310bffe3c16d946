// Mails that tell people what happened to their account, in the transaction that did it.
export { createNotices, type Notices } from './notices.ts';
