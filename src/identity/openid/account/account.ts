// /account: a person who is signed in looks after their own account.

import type { Provider, Session } from 'oidc-provider';
import { Fault } from '../../../platform/faults/index.ts';
import { type Access, type FreshLogin, tagOf } from '../../access/index.ts';
import { findConsumer } from '../../consumers/index.ts';
import type { Attempt } from '../../logins/index.ts';
import type { Guesser, Passwords } from '../../passwords/index.ts';
import { type Deps, parsed } from '../../resource/index.ts';
import type { AuthRules } from '../../tokens/index.ts';
import { type Devices, type Factor, qrCode } from '../../two-factor/index.ts';
import type { Profile, Users, UserWithExpiry } from '../../users/index.ts';
import { type AccountView, accountPage } from '../pages/account-page.ts';
import { type Browser, checkFormToken, formToken, readForm, redirect, sendPage } from '../pages/browser.ts';
import { english } from '../pages/words.ts';
import { OWN_CLIENT } from '../provider/own-client.ts';
import type { Records } from '../provider/records/records.ts';

const words = english;

export interface AccountDeps extends Pick<Deps, 'db' | 'change' | 'config'> {
  readonly access: Access;
  readonly users: Users;
  readonly passwords: Passwords;
  readonly auth: AuthRules;
  readonly records: Records;
  readonly factor: Factor;
  readonly devices: Devices;
  readonly freshLogin: FreshLogin;
  organizationsOf(userId: string): Promise<readonly { readonly name: string }[]>;
  issuer(): string;
}

/** What a step of the page left to show. */
type Shown = Pick<AccountView, 'proposal' | 'recoveryCodes' | 'good' | 'wrong'>;

interface SignedIn {
  readonly user: UserWithExpiry;
  readonly session: Session;
  readonly actor: Guesser & Attempt;
}

/** Steps that change how one signs in. */
const WITHOUT_PROOF = ['two-factor-on', 'two-factor-confirm', 'recovery-codes'];
const BY_PASSWORD = ['password', 'two-factor-off'];

const time = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

export function createAccount(deps: AccountDeps) {
  const { db, change, access, users, passwords, auth, records, factor, devices, freshLogin, config } = deps;

  async function signedIn(provider: Provider, browser: Browser): Promise<SignedIn | undefined> {
    const { request: req, response: res, requestId, address, signal } = browser.exchange;
    const session = await provider.Session.get({ req, res, secure: browser.secure } as never);
    const { accountId } = session;
    if (!accountId || session.past(config.sessionSeconds)) return undefined;
    // Closed, of a closed domain, or with another password since the session was found.
    const view = await access.read(accountId, { kind: 'unscoped' });
    const user = view?.userGeneration === records.generationOf(accountId) ? await users.find(accountId) : undefined;
    if (!view || user?.epoch !== view.userEpoch) return undefined;
    return { user, session, actor: { userId: user.id, requestId, address, signal, epoch: user.epoch, via: 'account page' } };
  }

  /** Signing in is what applications do; this page is one, of our own. */
  function askToSignIn(browser: Browser, more: Readonly<Record<string, string>> = {}): void {
    const query = new URLSearchParams({
      client_id: OWN_CLIENT,
      response_type: 'none',
      scope: 'openid',
      redirect_uri: `${deps.issuer()}/account`,
      ...more,
    });
    redirect(browser, `/openid/authorize?${query}`);
  }

  async function viewOf({ user, session }: SignedIn, token: string, shown: Shown): Promise<AccountView> {
    const { displayName, name = {} } = parsed<Profile>(user.profile);
    const { formatted } = name as { formatted?: unknown };
    const { email } = parsed<{ email?: unknown }>(user.extra);
    const sessions = await records.ofUser(user.id, 'Session');
    const grants = [...(await records.ofUser(user.id, 'Consent')), ...(await records.ofUser(user.id, 'Grant'))];
    const applications = await Promise.all(
      [...new Set(grants.map(({ payload }) => payload.clientId))].map(async (clientId) => {
        const consumer = clientId === undefined ? undefined : await findConsumer(db.read, clientId);
        return consumer ? [{ id: consumer.id, name: consumer.name }] : [];
      }),
    );
    return {
      token,
      name: typeof displayName === 'string' ? displayName : typeof formatted === 'string' ? formatted : user.name,
      userName: user.name,
      email: typeof email === 'string' ? email : undefined,
      organizations: await deps.organizationsOf(user.id),
      sessions: sessions.map(({ payload }) => ({
        signedInAt: time(Number(payload.loginTs)),
        current: payload.uid === session.uid,
      })),
      devices: (await devices.list(user.id)).map((device) => ({
        id: device.id,
        agent: device.user_agent || device.id,
        lastUsed: time(device.last_used_at),
      })),
      applications: applications.flat(),
      factor: (await factor.isEnabled(user.id)) ? await factor.data(user.id) : undefined,
      ...shown,
    };
  }

  const proposalFor = (offer: { proposed: string; key: string; uri: string }): Shown => ({
    proposal: { proposed: offer.proposed, key: offer.key, svg: qrCode(offer.uri, 'svg') ?? '' },
  });

  /** Knowing the password proves that it is the person, and not somebody at their desk. */
  function confirmPerson({ user, actor }: SignedIn, password: string, purpose: string): Promise<void> {
    const meant = { id: user.id, options: parsed(user.options), open: true };
    return auth.confirm({ ...actor, purpose }, user.id, () => passwords.check(password, meant, actor));
  }

  async function confirmFactor({ user, actor }: SignedIn, form: URLSearchParams): Promise<Shown> {
    const [proposed = '', code = '', question = '', answer = ''] = ['proposed', 'code', 'question', 'answer'].map(
      (name) => form.get(name) ?? '',
    );
    const offer = factor.proposalOf(user, proposed);
    if (!offer) return { wrong: words.tooLate };
    const good = await factor.enableProposed(actor, user, { proposed, code: code.replaceAll(/\s/g, '') }, { question, answer });
    if (!good) return { ...proposalFor(offer), wrong: words.wrongCode };
    return { good: words.done, recoveryCodes: await factor.makeRecoveryCodes(actor, user.id) };
  }

  async function endSessions({ user, session, actor }: SignedIn): Promise<Shown> {
    await change(actor, async (inside) => {
      await records.endSessions(inside, user.id, session.jti);
      inside.touch(tagOf.user(user.id));
      inside.audit('session.others_ended', { kind: 'user', id: user.id });
    });
    return { good: words.done };
  }

  async function takeBack({ user, actor }: SignedIn, clientId: string): Promise<Shown> {
    await change(actor, async (inside) => {
      await records.endConsents(inside, user.id, clientId);
      inside.touch(tagOf.user(user.id));
      inside.audit('consent.revoked', { kind: 'user', id: user.id }, { consumer_id: clientId });
    });
    return { good: words.done };
  }

  /** Where the form asks for the password, that is proof enough for whoever has no second factor. */
  async function needsFreshLogin({ user }: SignedIn, step: string): Promise<boolean> {
    return WITHOUT_PROOF.includes(step) || (BY_PASSWORD.includes(step) && (await factor.isEnabled(user.id)));
  }

  async function perform(person: SignedIn, form: URLSearchParams): Promise<Shown | 'signed out' | 'sign in again'> {
    const { user, session, actor } = person;
    const step = form.get('step') ?? '';
    if ((await needsFreshLogin(person, step)) && !freshLogin.isFresh(Number(session.loginTs) * 1000)) return 'sign in again';
    switch (step) {
      case 'password': {
        const fresh = form.get('new_password') ?? '';
        if (fresh !== form.get('new_password_again')) return { wrong: words.passwordsDiffer };
        await users.changePassword(actor, user, form.get('current_password') ?? '', fresh);
        return 'signed out';
      }
      case 'two-factor-on':
      case 'two-factor-confirm':
        // Another key for one that is on would let whoever sits at the desk take it over: it is turned off first, by password.
        if (await factor.isEnabled(user.id)) return { wrong: words.alreadyOn };
        return step === 'two-factor-on' ? proposalFor(factor.propose(user)) : confirmFactor(person, form);
      case 'two-factor-off':
        await confirmPerson(person, form.get('password') ?? '', 'two-factor off');
        await factor.disable(actor, user.id);
        return { good: words.done };
      case 'recovery-codes':
        return { recoveryCodes: await factor.makeRecoveryCodes(actor, user.id) };
      case 'end-sessions':
        return endSessions(person);
      case 'forget-device':
        await devices.forget(actor, user.id, form.get('device') ?? '');
        return { good: words.done };
      case 'revoke':
        return takeBack(person, form.get('application') ?? '');
      default:
        return {};
    }
  }

  return async function serve(provider: Provider, browser: Browser, keys: readonly string[]): Promise<void> {
    const person = await signedIn(provider, browser);
    if (!person) return askToSignIn(browser);
    const about = `account ${person.session.uid}`;
    const show = async (shown: Shown): Promise<void> => {
      const view = await viewOf(person, formToken(keys[0]!, about), shown);
      sendPage(browser, accountPage(view), shown.wrong ? 400 : 200);
    };
    if (browser.method !== 'POST') return show({});
    const form = await readForm(browser);
    checkFormToken(form, keys, about);
    try {
      const shown = await perform(person, form);
      if (shown === 'sign in again') return askToSignIn(browser, { prompt: 'login' });
      return shown === 'signed out' ? redirect(browser, '/account') : await show(shown);
    } catch (error) {
      if (!(error instanceof Fault) || error.status >= 500) throw error;
      return show({ wrong: error.code === 'auth.required' ? words.wrongPassword : error.message });
    }
  };
}
