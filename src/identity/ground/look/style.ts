// The look of every page: one file, no script, no picture from elsewhere. Follows the system's light or dark.
import { accountStyle } from './account-style.ts';

export const style = `
:root { color-scheme: light dark; --ink: #16202c; --soft: #5a6675; --line: #d5dbe3; --paper: #fff; --ground: #eef1f5;
  --brand: #1d4ed8; --brand-ink: #fff; --bad: #b3261e; --bad-ground: #fdeceb; --good: #14663b; --good-ground: #e6f4ec; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7ecf3; --soft: #a3afbf; --line: #38434f; --paper: #1a222c; --ground: #10161d;
  --brand: #8ab0ff; --brand-ink: #0b1526; --bad: #ffb4ab; --bad-ground: #3b1b19; --good: #8fd9b0; --good-ground: #173325; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: break-word;
  display: flex; flex-direction: column; align-items: center; padding: 2rem 1rem; }
header { display: flex; align-items: center; gap: .6rem; margin: 1rem 0 1.5rem; font-weight: 600; font-size: 1.1rem; }
header img { height: 2.5rem; max-width: 12rem; object-fit: contain; }
header svg { width: 1.9rem; height: 1.9rem; fill: var(--brand); }
main { width: 100%; max-width: 26rem; background: var(--paper); border: 1px solid var(--line); border-radius: .75rem; padding: 1.75rem; }
main.wide { max-width: 46rem; }
h1 { font-size: 1.35rem; line-height: 1.3; margin: 0 0 1rem; }
ul.menu, dt { hyphens: auto; hyphenate-limit-chars: 12; }
h1 img { display: block; height: 3rem; max-width: 100%; object-fit: contain; margin-bottom: .6rem; }
h2 { font-size: 1.05rem; margin: 0 0 .5rem; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
section { border-top: 1px solid var(--line); padding: 1.25rem 0; }
section:first-of-type { border-top: 0; }
label { display: block; font-weight: 600; margin-bottom: .3rem; }
input[type=text], input[type=password] { width: 100%; font: inherit; color: inherit; background: var(--paper); padding: .6rem .7rem;
  border: 1px solid var(--soft); border-radius: .4rem; margin-bottom: 1rem; }
input.code { letter-spacing: .25em; font-variant-numeric: tabular-nums; }
.wide input[type=text], .wide input[type=password], .wide form > button:not(.small) { max-width: 24rem; display: block; }
.check { display: flex; gap: .5rem; align-items: center; font-weight: 400; margin-bottom: 1rem; }
.check[hidden] { display: none; }
.check input { width: 1.15rem; height: 1.15rem; }
input + .bad { margin-top: -.6rem; }
button, .button { font: inherit; font-weight: 600; display: inline-block; width: 100%; padding: .65rem 1rem; border-radius: .4rem; cursor: pointer;
  border: 1px solid var(--brand); background: var(--brand); color: var(--brand-ink); text-align: center; text-decoration: none; margin-bottom: .6rem; }
button.second { background: transparent; color: var(--brand); }
button.small { width: auto; padding: .3rem .7rem; margin: 0; font-size: .9rem; }
button.plain { width: auto; border: 0; background: none; color: var(--brand); padding: 0; font-weight: 400; text-decoration: underline; }
:focus-visible { outline: 3px solid var(--brand); outline-offset: 2px; }
a { color: var(--brand); }
.bad, .good { border-radius: .4rem; padding: .6rem .8rem; margin-bottom: 1rem; }
.bad { background: var(--bad-ground); color: var(--bad); }
.good { background: var(--good-ground); color: var(--good); }
.soft { color: var(--soft); }
ul { padding-left: 1.2rem; margin: 0 0 1rem; }
ul.list { list-style: none; padding: 0; }
ul.list > li { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: .5rem; padding: .5rem 0; border-bottom: 1px solid var(--line); }
ul.list > li:last-child { border-bottom: 0; }
ul.list > li > span { min-width: 0; overflow-wrap: anywhere; }
form + details { margin-top: .75rem; }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .3rem 1rem; margin: 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
code { font: .95rem/1.6 ui-monospace, monospace; overflow-wrap: anywhere; }
.qr svg { width: 12rem; height: 12rem; background: #fff; border-radius: .4rem; }
.number code { font-size: 2rem; letter-spacing: .1em; }
.codes { columns: 2; font: .95rem/1.8 ui-monospace, monospace; list-style: none; padding: 0; }
details { margin-bottom: 1rem; } summary { cursor: pointer; color: var(--soft); margin-bottom: .5rem; }
footer { display: flex; flex-wrap: wrap; justify-content: center; gap: .5rem 1.5rem; align-items: baseline; margin-top: 1.5rem; color: var(--soft); font-size: .85rem; }
footer form { display: flex; gap: 1rem; } footer button.plain { margin: 0; font-size: inherit; }
@media (max-width: 30rem) { body { padding: .5rem; } main { padding: 1.25rem; border-radius: .5rem; } dl { grid-template-columns: 1fr; } }
${accountStyle}`;
