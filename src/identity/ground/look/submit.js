// Runs in the browser: sends the form of a page that only passes something on. Without scripts, people press its button.

document.querySelector('form[data-submit]').submit();
