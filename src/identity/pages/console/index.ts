// /console: the document of the console, and the token of its page.

export { type ConsoleHandler, createConsoleHandler } from './console.ts';
