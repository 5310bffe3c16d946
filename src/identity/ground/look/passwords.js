// Runs in the browser: shows the passwords of a form while its box is ticked. Without scripts, there is no box.

for (const box of document.querySelectorAll('[data-show-passwords]')) {
  const inputs = box.form.querySelectorAll('input[type=password]');
  const show = (isShown) => {
    for (const input of inputs) input.type = isShown ? 'text' : 'password';
  };
  box.addEventListener('change', () => show(box.checked));
  // Password managers look for passwords when the form is sent, and browsers keep what was in fields of text.
  box.form.addEventListener('submit', () => show(false));
  box.closest('label').hidden = false;
}
