// A list of people: pasted or from a file, shown with what is wrong in each line, then invited or made to accounts.
import { html, nothing, type TemplateResult } from 'lit';
import { define } from '../../shared/element.ts';
import { FormValues, formField } from '../../shared/form.ts';
import { type Problem, problemMessage, problemOf } from '../../shared/problem.ts';
import { runEach } from '../../shared/run-each.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { table } from '../../shared/table.ts';
import { frame } from '../frame.ts';
import { domainNames, findDomains } from '../resources.ts';
import { words } from '../words/index.ts';
import { csvOf, type Line, type ListProblem, MOST_CHARACTERS, readList } from './import-list.ts';
import { accountKey, findGroupIds, type ImportOptions, importLine } from './import-run.ts';
import { subScreens } from './shared.ts';

const EXAMPLE = 'name,email,given,family,groups\nada,ada@example.org,Ada,Lovelace,Pilots|Crew';

class PeopleImport extends Screen {
  #lines: readonly Line[] = [];
  #listProblem: ListProblem | undefined;
  #problem: Problem | undefined;
  #options: Omit<ImportOptions, 'made' | 'unsure'> | undefined;
  #hasDomains = false;
  /** Name, e-mail address and password of the accounts that were made here, by `accountKey`. They stay until the screen is left. */
  readonly #made = new Map<string, readonly string[]>();
  readonly #unsure = new Map<string, string>();

  heading(): string {
    return words.people.importTitle;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    this.#hasDomains = (await domainNames(signal)).size > 1;
  }

  /** What is wrong with a line for what shall be done with it. */
  #problemsOf({ problems, groups }: Line): readonly string[] {
    const { lineProblems } = words.people;
    const { how, groups: known } = this.#options!;
    const needsEmail = how === 'invite';
    return [
      ...problems.flatMap((one) => (one === 'noEmail' && !needsEmail ? [] : [lineProblems[one]])),
      ...groups.flatMap((one) => (known.has(one) ? [] : [words.people.noSuchGroup(one)])),
    ];
  }

  async #check(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const values = new FormValues(event.target as HTMLFormElement);
    this.#problem = undefined;
    this.#listProblem = undefined;
    this.#lines = [];
    try {
      const file = values.file('file');
      const isLarge = file !== undefined && file.size > 4 * MOST_CHARACTERS;
      const { lines, problem } = isLarge
        ? { lines: [], problem: 'tooLarge' as const }
        : readList(file && file.size > 0 ? await file.text() : values.text('list'));
      const domainId = values.optional('domain');
      const groups = await findGroupIds(
        lines.flatMap((line) => line.groups),
        domainId,
      );
      this.#options = { how: values.text('how') === 'account' ? 'account' : 'invite', domainId, groups };
      this.#lines = lines;
      this.#listProblem = problem;
    } catch (error) {
      this.#problem = problemOf(error);
    }
    this.requestUpdate();
  }

  #savePasswords(): void {
    const link = document.createElement('a');
    const rows = [['name', 'email', 'password'], ...this.#made.values()];
    link.href = URL.createObjectURL(new Blob([csvOf(rows)], { type: 'text/csv' }));
    link.download = 'new-accounts.csv';
    link.click();
    URL.revokeObjectURL(link.href);
    frame.setDirty(false);
  }

  /** Also of an import that was stopped, or cut off. */
  #passwords(): Content {
    const { people } = words;
    if (this.#made.size === 0) return nothing;
    return html`<section class="card"><p>${people.passwordsOnce(this.#made.size)}</p>
      <button type="button" @click=${() => this.#savePasswords()}>${people.savePasswords}</button></section>`;
  }

  async #run(lines: readonly Line[]): Promise<void> {
    const options: ImportOptions = {
      ...this.#options!,
      unsure: this.#unsure,
      made: (line, password) => {
        const { name, email } = line;
        this.#made.set(accountKey(line, options.domainId), [name, email, password]);
        frame.setDirty(true);
        this.requestUpdate();
      },
    };
    await runEach({
      title: words.people.importTitle,
      items: lines,
      name: ({ number, name }) => `${number}: ${name}`,
      run: (line) => importLine(line, options),
      after: () => html`${this.#passwords()}`,
    });
  }

  #form(): TemplateResult {
    const { people } = words;
    const field = (one: Parameters<typeof formField>[0]): TemplateResult => formField({ ...one, unmarked: true }, 'import');
    return html`<form class="card" @submit=${(event: SubmitEvent) => void this.#check(event)}>
      <p>${people.importText}</p><pre tabindex="0">${EXAMPLE}</pre>
      ${field({ name: 'list', label: people.list, type: 'textarea' })}
      ${field({ name: 'file', label: people.listFile, type: 'file', accept: '.csv,text/csv,text/plain' })}
      ${field({
        name: 'how',
        label: people.importHow,
        type: 'select',
        hint: people.importHowHint,
        options: [
          { value: 'invite', label: people.importInvite },
          { value: 'account', label: people.importAccount },
        ],
      })}
      ${this.#hasDomains ? field({ name: 'domain', label: people.domain, type: 'pick', find: findDomains, hint: people.domainHint }) : nothing}
      <div class="buttons"><button type="submit" class="second">${people.checkList}</button></div>
    </form>`;
  }

  #preview(): Content {
    const { people } = words;
    if (this.#lines.length === 0) return nothing;
    const good = this.#lines.filter((line) => this.#problemsOf(line).length === 0);
    return html`<h2>${people.preview}</h2>
    <p role="status">${people.previewText(good.length, this.#lines.length - good.length)}</p>
    ${table<Line>({
      caption: people.preview,
      rows: this.#lines,
      columns: [
        { name: people.line, cell: ({ number }) => number },
        { name: people.name, isHeader: true, cell: ({ name }) => name },
        { name: people.email, cell: ({ email }) => email },
        { name: people.givenName, cell: ({ given }) => given },
        { name: people.familyName, cell: ({ family }) => family },
        { name: people.tabs.groups, cell: ({ groups }) => groups.join(', ') },
        {
          name: people.state,
          cell: (line) => this.#problemsOf(line).map((one) => html`<span class="badge bad">${one}</span> `),
        },
      ],
    })}
    <div class="buttons"><button type="button" ?disabled=${good.length === 0} @click=${() => void this.#run(good)}>${people.importRun(good.length)}</button></div>`;
  }

  protected content(): Content {
    const problem = this.#listProblem;
    return html`${subScreens('/people')}${problemMessage(this.#problem)}
    ${problem ? html`<div class="bad" role="alert">${words.people.listProblems[problem]}</div>` : nothing}
    ${this.#passwords()}${this.#form()}${this.#preview()}`;
  }
}

define('gh-people-import', PeopleImport);
