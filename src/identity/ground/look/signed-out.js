// Runs in the browser: goes on when the applications in the frames have been told that the person signed out, or when one of them takes too
// long. Without scripts, people follow the link.

const LONGEST_MS = 4_000;

const goOn = () => location.replace(document.querySelector('a[data-continue]').href);
setTimeout(goOn, LONGEST_MS);
// After all frames have loaded, or failed to.
if (document.readyState === 'complete') goOn();
else addEventListener('load', goOn);
