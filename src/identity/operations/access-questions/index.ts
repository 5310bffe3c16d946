// Questions about access: what a caller may do, and why a user may do something.
export { mountAccessQuestions } from './access-questions.routes.ts';
export { createAccessQuestions } from './access-questions.ts';
