// Adding files: drop them on the form, and see how much was sent. Without this file the form is sent as it is.

const formOf = (event) => event.target.closest?.("form[data-upload]");

const say = (form, text, done = null) => {
  const state = form.querySelector("[data-upload-state]");
  const bar = state.querySelector("progress");
  state.hidden = false;
  bar.hidden = done === null;
  if (done !== null) bar.value = done;
  state.querySelector("[role=status]").textContent = text;
};

const size = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

const send = (form) => {
  const request = new XMLHttpRequest();
  const button = form.querySelector("[type=submit]");
  const failed = (detail) => {
    button.disabled = false;
    say(form, detail);
  };
  request.open("POST", form.action);
  request.setRequestHeader("Kndl-Upload", "1");
  request.responseType = "json";
  request.upload.addEventListener("progress", ({ loaded, total }) => {
    const text = loaded < total ? `Sent ${size(loaded)} of ${size(total)}.` : "All was sent. It is being put away.";
    say(form, text, total ? loaded / total : 0);
  });
  request.addEventListener("load", () => {
    if (request.status === 200 && request.response?.to) location.assign(request.response.to);
    else failed(request.response?.detail ?? "It was not taken. Load the page again and send it once more.");
  });
  request.addEventListener("error", () => failed("The connection broke off. Nothing was added; send it once more."));
  button.disabled = true;
  say(form, "Sending.", 0);
  request.send(new FormData(form));
};

document.addEventListener("submit", (event) => {
  const form = formOf(event);
  if (!form) return;
  event.preventDefault();
  const count = form.elements.files.files.length;
  if (count > Number(form.dataset.most)) say(form, `Choose ${form.dataset.most} files at most.`);
  else send(form);
});

document.addEventListener("dragover", (event) => {
  if (formOf(event) && event.dataTransfer.types.includes("Files")) event.preventDefault();
});

document.addEventListener("drop", (event) => {
  const form = formOf(event);
  if (!form || !event.dataTransfer.files.length) return;
  event.preventDefault();
  form.elements.files.files = event.dataTransfer.files;
  const count = event.dataTransfer.files.length;
  say(form, count === 1 ? "1 file is ready to be added." : `${count} files are ready to be added.`);
});

const showHints = () => {
  for (const hint of document.querySelectorAll("[data-drop-hint]")) hint.hidden = false;
};
document.addEventListener("htmx:afterSettle", showHints);
showHints();
