// German: plain and short, with „Sie“. A file for each area. Its words are those of the pages (src/identity/ground/look/words/de/index.ts), and
//
// offer Angebot · request Anfrage · exchange Austausch · party das Gegenüber · verifier „wer fragt“, Prüfende · to share teilen
// claim Angabe · proof Beleg · identifier Kennung · key Schlüssel · to rotate ablösen · to withdraw zurückziehen · node Knoten
import type { Translation } from '../../../shared/languages.ts';
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

export const words: Translation<Words> = {
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
