// Answers usual requests for tokens beside the library.
export { type AnswerUsual, createUsualTokens } from './answer.ts';
