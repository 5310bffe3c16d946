// Short messages that something was done, shown for a while and read by screen readers.

const SHOWN_MS = 6000;
let timer: ReturnType<typeof setTimeout> | undefined;

export function announce(text: string): void {
  const place = document.getElementById('status');
  if (!place) return;
  clearTimeout(timer);
  place.textContent = text;
  place.classList.add('shown');
  timer = setTimeout(() => {
    place.classList.remove('shown');
    place.textContent = '';
  }, SHOWN_MS);
}
