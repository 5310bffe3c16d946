// Runs in the browser: asks for a passkey when a form with `data-passkey` is sent, and sends the answer with the form.
// WebAuthn speaks in bytes, forms in text: both directions are converted here, because older browsers cannot.

const bytesOf = (text) => {
  const base64 = text.replaceAll('-', '+').replaceAll('_', '/');
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
};

const textOf = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const withBytes = (list = []) => list.map((one) => ({ ...one, id: bytesOf(one.id) }));

function optionsOf(form) {
  const options = JSON.parse(form.dataset.options);
  const { challenge, user, allowCredentials, excludeCredentials } = options;
  return {
    ...options,
    challenge: bytesOf(challenge),
    ...(user && { user: { ...user, id: bytesOf(user.id) } }),
    ...(allowCredentials && { allowCredentials: withBytes(allowCredentials) }),
    ...(excludeCredentials && { excludeCredentials: withBytes(excludeCredentials) }),
  };
}

function answerOf({ id, rawId, type, response, authenticatorAttachment }) {
  const parts = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'];
  const fields = parts.filter((part) => response[part]).map((part) => [part, textOf(response[part])]);
  return JSON.stringify({
    id,
    rawId: textOf(rawId),
    type,
    ...(authenticatorAttachment && { authenticatorAttachment }),
    clientExtensionResults: {},
    response: { ...Object.fromEntries(fields), ...(response.getTransports && { transports: response.getTransports() }) },
  });
}

function send(form, credential) {
  form.elements.passkey.value = answerOf(credential);
  form.submit();
}

/** A page can ask for one passkey at a time: the button ends the offer in the field for the user name. */
let offer = new AbortController();

async function onSubmit(event) {
  event.preventDefault();
  const form = event.target;
  const message = form.querySelector('[role=alert]');
  message.hidden = true;
  offer.abort();
  offer = new AbortController();
  const request = { publicKey: optionsOf(form), signal: offer.signal };
  try {
    send(
      form,
      await (form.dataset.passkey === 'create' ? navigator.credentials.create(request) : navigator.credentials.get(request)),
    );
  } catch {
    message.hidden = false;
  }
}

async function offerAutofill(form) {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  try {
    const request = { publicKey: optionsOf(form), signal: offer.signal, mediation: 'conditional' };
    send(form, await navigator.credentials.get(request));
  } catch {
    // The person signs in otherwise.
  }
}

if (window.PublicKeyCredential)
  for (const form of document.querySelectorAll('form[data-passkey]')) {
    form.addEventListener('submit', onSubmit);
    form.hidden = false;
    for (const hint of document.querySelectorAll('[data-without-script]')) hint.hidden = true;
    if ('autofill' in form.dataset) offerAutofill(form);
  }

// The server shows times in this zone. It has no other way to know it.
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
// biome-ignore lint/suspicious/noDocumentCookie: not every browser has the Cookie Store API.
document.cookie = `gatehouse_zone=${timeZone}; path=/; max-age=31536000; samesite=lax${location.protocol === 'https:' ? '; secure' : ''}`;
