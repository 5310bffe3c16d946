// Addresses that a browser would run, read from a disk, or take for another one than a program that checked them.
export const BAD_LINKS: readonly string[] = [
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  ' javascript:alert(1)',
  'java\tscript:alert(1)',
  '\u0001javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'data:image/svg+xml;base64,PHN2Zz4=',
  'file:///etc/passwd',
  'vbscript:x',
  'blob:https://example.org/1',
  'https://example.org/"><script>alert(1)</script>',
  'https:\\\\example.org',
  'https://ann:secret@example.org/',
  'https://example.org/\u202egnp.exe',
  'https://example\u200b.org/',
];

export const BAD_EMAILS: readonly string[] = [
  '<script>alert(1)</script>@example.org',
  '"<b>"@example.org',
  'ann@example.org<img src=x>',
  'ann@example.org, bob@example.org',
  'Ann <ann@example.org>',
  'ann@example.org\r\nBcc: bob@example.org',
  'ann\\@example.org',
  'ann@example.org\u0085',
  '\u202egro.elpmaxe@nna',
  'ann\u200b@example.org',
];
