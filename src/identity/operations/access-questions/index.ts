// Questions about access: what a caller may do, and why a user may do something.
// allowed.rules.ts asks the rules and targets of all routes; explanation.rules.ts and permission-explanation.rules.ts say why, from what
// decides: access/context/inspection.ts.
export { mountAccessQuestions } from './access-questions.routes.ts';
export { createAccessQuestions } from './access-questions.ts';
