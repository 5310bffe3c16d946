// /openid/invitation: the page that the link of an invitation opens. Opening it changes nothing.
//
// The token of the link goes into a cookie, and the browser to the address without it. So it is neither in the history nor in a Referer,
// and it is still there when the person comes back from the sign-in.

import type { Provider } from 'oidc-provider';
import { Fault } from '../../../platform/faults/index.ts';
import type { Gate } from '../../../platform/limits/index.ts';
import {
  type BrowserRequest,
  checkFormToken,
  formToken,
  type PageRefusal,
  readCookie,
  readForm,
  redirect,
  refusal,
  refusalOf,
  sendAnswer,
  sendPage,
  withBrand,
} from '../../ground/look/index.ts';
import { INVITATION } from '../../openid/paths/index.ts';
import type { AcceptInvitation, OpenInvitation } from '../../provisioning/invitations/index.ts';
import { FIELDS, type FieldValues } from '../../provisioning/registration/index.ts';
import { findSignedInPerson, redirectToSignIn, type SignedInPerson, type SignedInPersonDeps } from '../account/index.ts';
import { invitationDonePage, invitationEndedPage, invitationPage } from './invitation-pages.ts';
import { keepToken } from './token-cookie.ts';

export interface InvitationPageDeps extends SignedInPersonDeps {
  readonly acceptance: AcceptInvitation;
  readonly gate: Gate;
  issuer(): string;
}

const COOKIE = 'gatehouse_invitation';
/** The token of a link has 43 characters. */
const MAX_TOKEN = 100;

interface Visit {
  readonly browser: BrowserRequest;
  readonly token: string;
  readonly invitation: OpenInvitation;
  readonly person: SignedInPerson | undefined;
  /** What the form token is bound to. */
  readonly about: string;
}

const text = (form: URLSearchParams, name: string): string => form.get(name) ?? '';

const fieldsIn = (form: URLSearchParams): FieldValues =>
  Object.fromEntries(FIELDS.map((field) => [field, text(form, field).trim()]));

export function createInvitationHandler(deps: InvitationPageDeps) {
  const { acceptance, gate } = deps;

  /** Unknown tokens are counted like other wrong secrets. Without one, nobody has guessed. */
  async function findInvitation({ exchange }: BrowserRequest, token: string): Promise<OpenInvitation | undefined> {
    if (token === '') return undefined;
    gate.checkSecret(exchange, undefined);
    const found = await acceptance.find(token);
    if (!found) gate.wrongSecret(exchange, undefined);
    return found;
  }

  function showEnded(browser: BrowserRequest, isVoid = false): void {
    keepToken(browser, COOKIE, undefined);
    sendPage(browser, invitationEndedPage(browser.look, isVoid), isVoid ? 403 : 404);
  }

  async function show(
    visit: Visit,
    formKey: string,
    { name, values, refused }: { refused?: PageRefusal; name?: string; values?: FieldValues } = {},
  ): Promise<void> {
    const { browser, person, about } = visit;
    // What happened meanwhile: somebody may have made an account with this address.
    const invitation = refused === undefined ? visit.invitation : ((await acceptance.find(visit.token)) ?? visit.invitation);
    const canAccept = person !== undefined && (await acceptance.isFor(person.user, invitation));
    const page = invitationPage(browser.look, {
      ...invitation,
      action: INVITATION,
      token: formToken(formKey, about),
      person: person && { name: person.user.name, canAccept },
      name: name ?? invitation.name,
      values: values ?? { language: invitation.language ?? browser.look.words.language },
      terms: await acceptance.terms(invitation),
      refused,
    });
    sendAnswer(browser, page, refused);
  }

  async function createAccount({ browser, token }: Visit, form: URLSearchParams): Promise<void> {
    const name = text(form, 'name').trim();
    await acceptance.acceptAsNew(browser.exchange, token, {
      name,
      password: text(form, 'new_password'),
      fields: fieldsIn(form),
      acceptedTerms: text(form, 'terms') || undefined,
    });
    keepToken(browser, COOKIE, undefined);
    sendPage(browser, invitationDonePage(browser.look, browser.look.words.invitationNewDone(name)));
  }

  async function acceptAsSelf({ browser, token, invitation }: Visit, { actor, user }: SignedInPerson): Promise<void> {
    await acceptance.acceptAsSelf({ userId: user.id, requestId: actor.requestId ?? '', epoch: user.epoch }, token);
    keepToken(browser, COOKIE, undefined);
    sendPage(browser, invitationDonePage(browser.look, browser.look.words.invitationDone(invitation.organization)));
  }

  async function runStep(visit: Visit, form: URLSearchParams, formKey: string): Promise<void> {
    const { browser, person } = visit;
    const step = form.get('step');
    const { words } = browser.look;
    if (step === 'accept' && person) return acceptAsSelf(visit, person);
    if (step === 'accept' || step === 'sign-in') {
      return redirectToSignIn(deps.issuer(), browser, INVITATION, person ? { prompt: 'login' } : {});
    }
    const name = text(form, 'name');
    if (text(form, 'new_password') !== form.get('new_password_again'))
      return show(visit, formKey, {
        name,
        values: fieldsIn(form),
        refused: refusal(words.passwordsDiffer, 400, 'new_password_again'),
      });
    return createAccount(visit, form);
  }

  /** The links end, or the form is shown again with what was wrong. */
  async function showProblem(visit: Visit, error: unknown, formKey: string, form: URLSearchParams): Promise<void> {
    const { browser } = visit;
    const { words } = browser.look;
    const code = error instanceof Fault ? error.code : undefined;
    if (code === 'invitation.link_ended') return showEnded(browser);
    const badField = error instanceof Fault && code === 'request.bad_value' ? error.values.field : undefined;
    // The domain may have been closed to the address since.
    if (code === 'invitation.void' || code === 'invitation.off' || badField === 'email') return showEnded(browser, true);
    if (code === 'auth.required') return redirect(browser, INVITATION);
    const isTaken = code === 'user.name_alike' || code === 'resource.duplicate';
    const refused = isTaken ? refusal(words.invitationNameTaken, 400, 'name') : refusalOf(words, error, '');
    return show(visit, formKey, { name: text(form, 'name'), values: fieldsIn(form), refused });
  }

  return async function serve(provider: Provider, asked: BrowserRequest, keys: readonly string[]): Promise<void> {
    const [, query = ''] = (asked.exchange.request.url ?? '').split('?', 2);
    const linkToken = new URLSearchParams(query).get('token');
    if (linkToken !== null && asked.method !== 'POST') {
      keepToken(asked, COOKIE, linkToken.slice(0, MAX_TOKEN));
      return redirect(asked, INVITATION);
    }
    const token = readCookie(asked, COOKIE) ?? '';
    const invitation = await findInvitation(asked, token);
    if (!invitation) return showEnded(asked);
    const browser = withBrand(asked, await deps.domainLooks.brandOf(invitation.domainId));
    const person = await findSignedInPerson(deps, provider, browser, keys);
    const about = `invitation ${invitation.id} ${person?.session.uid ?? ''}`;
    const visit: Visit = { browser, token, invitation, person, about };
    if (browser.method !== 'POST') return show(visit, keys[0]!);
    const form = await readForm(browser);
    checkFormToken(form, keys, about);
    try {
      return await runStep(visit, form, keys[0]!);
    } catch (error) {
      return showProblem(visit, error, keys[0]!, form);
    }
  };
}

export type InvitationHandler = ReturnType<typeof createInvitationHandler>;
