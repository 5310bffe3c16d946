// People delete their own account, with a time to think again.
export { mountAccountDeletion } from './account-deletion.routes.ts';
export { type AccountDeletion, createAccountDeletion, type DeletionRefusal } from './account-deletion.rules.ts';
export { createCancelledDeletion } from './cancelled.ts';
