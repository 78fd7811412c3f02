// Conveniences only: every page reads, filters and submits without this file.

const root = document.documentElement;
const typing = (el) => el.closest("input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable]");

// Theme: as the system says, or forced and remembered in a cookie, which the server reads to write data-theme.
const themes = ["system", "light", "dark"];
const applyTheme = (name) => {
  if (name === "system") root.removeAttribute("data-theme");
  else root.dataset.theme = name;
  for (const button of document.querySelectorAll("[data-theme-next]")) button.querySelector("span").textContent = name;
};
const rememberTheme = (name) => {
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `kndl_theme=${name}; path=/; max-age=31536000; samesite=lax${secure}`;
};

document.addEventListener("click", (event) => {
  const at = (selector) => event.target.closest(selector);
  if (at("[data-theme-next]")) {
    const next = themes[(themes.indexOf(root.dataset.theme ?? "system") + 1) % themes.length];
    rememberTheme(next);
    applyTheme(next);
  }
  const opener = at("[data-open]");
  if (opener) document.getElementById(opener.dataset.open)?.showModal();
  at("[data-close]")?.closest("dialog, .toast")?.[at("dialog") ? "close" : "remove"]();
  for (const menu of document.querySelectorAll(".menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});

// As-of sliders move the date field they are for: data-from is a day, the value counts days from it, and the field gets
// that day's last second. Where the slider ends now, its end empties the field, which means now.
const sayDay = (slider) => {
  const day = new Date(Date.parse(slider.dataset.from) + slider.value * 86_400_000);
  const text = day.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
  slider.setAttribute("aria-valuetext", text);
  return day.toISOString().slice(0, 10);
};
const showSliders = () => {
  for (const slider of document.querySelectorAll("input[type=range][data-sets]")) {
    sayDay(slider);
    slider.hidden = false;
  }
};
document.addEventListener("input", ({ target }) => {
  if (!target.matches("input[type=range][data-sets]")) return;
  const day = sayDay(target);
  const isNow = "endsNow" in target.dataset && target.value === target.max;
  document.getElementById(target.dataset.sets).value = isNow ? "" : `${day}T23:59:59`;
});
document.addEventListener("htmx:afterSettle", showSliders);
showSliders();

// Copying: a button for what `data-copy` names; only where the browser lets a page write to the clipboard.
const showCopiers = () => {
  if (navigator.clipboard) for (const button of document.querySelectorAll("[data-copy]")) button.hidden = false;
};
document.addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-copy]");
  if (!button) return;
  const copied = navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent.trim());
  button.textContent = await copied.then(() => "Copied", () => "Not copied: select it instead");
});
document.addEventListener("htmx:afterSettle", showCopiers);
showCopiers();

// Keys: / searches, ? lists, g + letter goes, j k move in a queue, x picks, a, r, 1, 2 press the button that names them in data-press.
let going = false;
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target) || document.querySelector("dialog[open]")) return;
  const key = event.key;
  if (going) {
    going = false;
    document.querySelector(`.nav a[data-key="${CSS.escape(key)}"]`)?.click();
    return;
  }
  const rows = [...document.querySelectorAll("[data-queue] > :not(.group)")];
  const here = rows.findIndex((row) => row.contains(document.activeElement) || row.classList.contains("is-current"));
  if (key === "/") document.querySelector(".search input")?.focus();
  else if (key === "?") document.getElementById("keys")?.showModal();
  else if (key === "g") {
    going = true;
    setTimeout(() => (going = false), 1500);
  }
  else if (rows.length && (key === "j" || key === "k")) {
    const row = rows[Math.min(rows.length - 1, Math.max(0, here + (key === "j" ? 1 : -1)))];
    rows.forEach((other) => other.classList.toggle("is-current", other === row));
    row.querySelector("a, button")?.focus();
  } else if (rows[here] && key === "x") rows[here].querySelector("input[type=checkbox]")?.click();
  else if (document.querySelector(`[data-press="${CSS.escape(key)}"]`)) document.querySelector(`[data-press="${CSS.escape(key)}"]`).click();
  else return;
  event.preventDefault();
});
