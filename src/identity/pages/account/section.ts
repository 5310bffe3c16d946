// A section of an account page. Each is a file of its own; sections.ts lists them.

import type { BrowserRequest, Html, PageRefusal, PageWords } from '../../ground/look/index.ts';
import type { AccountPageName } from '../../openid/paths/index.ts';
import type { AccountForm } from './form.ts';
import type { AccountView } from './layout.ts';
import type { SignedInPerson } from './signed-in-person.ts';

/** A person at an account page. */
export interface AccountVisit extends AccountView {
  readonly person: SignedInPerson;
  readonly browser: BrowserRequest;
}

/** The name of a text that needs no value. */
export type TextName = { [Name in keyof PageWords]: PageWords[Name] extends string ? Name : never }[keyof PageWords];

export type AccountStepResult =
  /** The browser is sent back to the page, so that a reload does not repeat the step. The page shows this text once. */
  | { readonly done: TextName }
  /** Shown instead of all sections, in the answer to the form: for what is shown only once, such as a new key. */
  | { readonly show: Html; readonly script?: boolean }
  /** What was wrong. `field` is the name of the field. `show` replaces the sections. The status is 400 if there is no `refusal`. */
  | { readonly error: string; readonly field?: string; readonly show?: Html; readonly refusal?: PageRefusal }
  /** The step has answered the request itself. */
  | 'answered';

export interface AccountStep {
  /**
   * A step that changes how a person signs in needs a recent sign-in: somebody else may use the browser. When its form asks for the
   * password, that is needed only if the person also has a second factor.
   */
  readonly needs?: 'fresh sign-in' | 'password';
  run(visit: AccountVisit, form: AccountForm): Promise<AccountStepResult>;
}

export interface AccountSection {
  readonly page: AccountPageName;
  /** With its heading (`section` of layout.ts). Undefined: there is nothing to show. */
  show(visit: AccountVisit): Promise<Html | undefined>;
  /** By the `step` of their form. A name is used once among all sections. */
  readonly steps?: Readonly<Record<string, AccountStep>>;
}
