// Spanish (usted): a file for each area.
import type { Words } from '../en/index.ts';
import { credentials } from './credentials.ts';
import { experts } from './experts.ts';
import { frame } from './frame.ts';
import { history } from './history.ts';
import { identifiers } from './identifiers.ts';
import { keys } from './keys.ts';
import { node } from './node.ts';
import { open } from './open.ts';
import { peers } from './peers.ts';
import { problems } from './problems.ts';
import { receive } from './receive.ts';
import { share } from './share.ts';

export const words: Words = {
  credentials,
  experts,
  frame,
  history,
  identifiers,
  keys,
  node,
  open,
  peers,
  problems,
  receive,
  share,
};
