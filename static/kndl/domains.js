// Following a log live: new lines come to the top as they are written. Without this file the page is loaded again.

const SECONDS = 4;
const button = document.querySelector("[data-follow-button]");
const list = document.querySelector("[data-follow]");
const state = document.querySelector("[data-follow-state]");
let timer = null;

const say = (text) => {
  state.textContent = text;
};

const made = (tag, text, classes = "") => {
  const element = document.createElement(tag);
  element.className = classes;
  element.append(...[text].flat());
  return element;
};

// As the template log_line.html has it.
const shown = ({ date, project, change, author }) => {
  const options = { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" };
  const day = made("time", new Date(date).toLocaleDateString("en-GB", options));
  day.dateTime = date;
  const meta = made("div", [day, " ", made("b", project), " ", made("span", `by ${author}`, "dim")], "meta");
  return made("li", [meta, made("p", change, "said")]);
};

const look = async () => {
  const address = new URL(list.dataset.follow, location.origin);
  address.searchParams.set("after", list.dataset.last);
  const answer = await fetch(address, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(answer.status);
  const { lines, last } = await answer.json();
  for (const line of lines) list.prepend(shown(line));
  list.dataset.last = last;
  if (lines.length) say(lines.length === 1 ? "1 new line." : `${lines.length} new lines.`);
};

const follow = async () => {
  try {
    // Nobody reads a page that is not in view; it catches up when it is.
    if (!document.hidden) await look();
    if (button.getAttribute("aria-pressed") === "true") timer = setTimeout(follow, SECONDS * 1000);
  } catch {
    stop("The connection broke off. Load the page again, or follow once more.");
  }
};

const stop = (text) => {
  clearTimeout(timer);
  button.setAttribute("aria-pressed", "false");
  button.textContent = "Follow live";
  say(text);
};

if (button && list) {
  button.hidden = false;
  button.addEventListener("click", () => {
    if (button.getAttribute("aria-pressed") === "true") {
      stop("Not following any more.");
      return;
    }
    button.setAttribute("aria-pressed", "true");
    button.textContent = "Stop following";
    say("Following: new lines come to the top.");
    follow();
  });
}
