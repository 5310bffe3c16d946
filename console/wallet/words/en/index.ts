// English: a file for each area.
import { credentials } from './credentials.ts';
import { frame } from './frame.ts';
import { history } from './history.ts';
import { identifiers } from './identifiers.ts';
import { keys } from './keys.ts';
import { node } from './node.ts';
import { open } from './open.ts';
import { problems } from './problems.ts';
import { receive } from './receive.ts';
import { share } from './share.ts';

export const words = { credentials, frame, history, identifiers, keys, node, open, problems, receive, share };

export type Words = typeof words;
