// Passkeys and security keys: asks the browser for a credential and sends it with its form.
// A button [data-passkey] belongs to a form that holds a hidden "credential" and names, in data-options, the element with
// the options; without one they are fetched from the form's address. [data-passkey-said="<id of the form>"] shows what failed.

const supported = Boolean(window.PublicKeyCredential?.parseCreationOptionsFromJSON && navigator.credentials);
const reasons = {
  InvalidStateError: "This key is already added.",
  NotAllowedError: "The key did not answer, or the browser was told to stop. Try again, or use another way.",
  SecurityError: "Keys work only at the address they were added at, over https or on localhost.",
};

const say = (form, text) => {
  const place = document.querySelector(`[data-passkey-said="${form.id}"]`);
  place.querySelector("p").textContent = text;
  place.hidden = !text;
};

const optionsOf = async (form) => {
  const here = document.getElementById(form.dataset.options);
  if (here) return JSON.parse(here.textContent);
  const answer = await fetch(form.action, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return answer.json();
};

const newCredential = (wanted, passwordless) => {
  if (passwordless !== undefined) {
    wanted.authenticatorSelection.residentKey = passwordless ? "required" : "discouraged";
    wanted.authenticatorSelection.requireResidentKey = passwordless;
    if (passwordless) wanted.authenticatorSelection.userVerification = "required";
  }
  return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(wanted) });
};

const knownCredential = (wanted) =>
  navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(wanted) });

const send = async (form) => {
  say(form, "");
  try {
    const { creation_options: creation, request_options: request } = await optionsOf(form);
    const credential = creation
      ? await newCredential(creation.publicKey, form.elements.passwordless?.checked)
      : await knownCredential(request.publicKey);
    form.elements.credential.value = JSON.stringify(credential);
    form.submit();
  } catch (error) {
    say(form, reasons[error.name] ?? "The key could not be used. Try again, or use another way.");
  }
};

for (const button of document.querySelectorAll("button[data-passkey]")) {
  button.hidden = !supported;
  if (supported) button.addEventListener("click", () => send(button.form));
  else if (button.dataset.passkey === "create") say(button.form, "This browser cannot add a key here: that needs a current browser, and https or localhost.");
}
