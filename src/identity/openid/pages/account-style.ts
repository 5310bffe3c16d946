// The style of the account pages.

export const accountStyle = `
ul.menu { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0 0 .75rem; margin: 0 0 1.25rem; border-bottom: 1px solid var(--line); }
ul.menu a { display: block; padding: .25rem 0; text-decoration: none; }
ul.menu a:hover { text-decoration: underline; }
ul.menu a[aria-current] { color: var(--ink); font-weight: 600; border-bottom: 2px solid var(--brand); }
[aria-invalid] { border-color: var(--bad) !important; outline-color: var(--bad); }
`;
