// The style of the account pages.

export const accountStyle = `
ul.menu { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0 0 .75rem; margin: 0 0 1.25rem; border-bottom: 1px solid var(--line); }
ul.menu a { display: block; padding: .25rem 0; text-decoration: none; }
ul.menu a:hover { text-decoration: underline; }
ul.menu a[aria-current] { color: var(--ink); font-weight: 600; border-bottom: 2px solid var(--brand); }
select, input[type=file] { display: block; width: 100%; max-width: 24rem; font: inherit; color: inherit; background: var(--paper); padding: .55rem .7rem;
  border: 1px solid var(--soft); border-radius: .4rem; margin-bottom: 1rem; }
.hint { margin-top: -.75rem; font-size: .9rem; }
.picture { width: 6rem; height: 6rem; border-radius: 50%; object-fit: cover; border: 1px solid var(--line); }
a.button.small { width: auto; padding: .3rem .7rem; margin: 0; font-size: .9rem; }
a.button.second { background: transparent; color: var(--brand); }
code.copy { user-select: all; -webkit-user-select: all; }
.refused { color: var(--bad); }
.ways { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; }
.after { margin-top: 1rem; }
.wide ul.list > li > span:first-child { flex: 1 1 16rem; }
.wide .answers { display: flex; flex-wrap: wrap; gap: .75rem; margin: .75rem 0 .5rem; }
@media (max-width: 30rem) { .codes { columns: 1; } }
[aria-invalid] { border-color: var(--bad) !important; outline-color: var(--bad); }
@media print { nav, footer, form, header, .after, a { display: none !important; } main { border: 0; } body { background: none; } }
`;
