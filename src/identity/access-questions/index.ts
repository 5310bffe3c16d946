// Questions about access: what a caller may do.
export { mountAccessQuestions } from './access-questions.routes.ts';
