// Lists of articles: decisions without a reload, rows that keep their places, articles that are read in place, and local times.
"use strict";

const inbox = document.querySelector("[data-inbox]"); // decisions there are sent without a reload
const outcomes = { "/articles/publish": "Published", "/articles/withdraw": "Withdrawn", "/articles/dismiss": "Dismissed", "/articles/restore": "Back in the inbox" };

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!inbox || !(inbox.contains(form) && event.submitter?.closest(".do, .bulk") || form.matches(".undo form"))) return;
  event.preventDefault();
  decide(form, event.submitter);
});

// decide sends a decision and shows its result. A response that is no list, for example about a conflict, is shown by sending the form
// again: a repeated decision has the result of the first.
async function decide(form, button) {
  const action = new URL(button?.getAttribute("formaction") || form.action, location.href);
  const body = new URLSearchParams(new FormData(form, button));
  const row = button?.closest("[data-row]");
  const decided = row ? [row] : rows().filter((one) => one.querySelector("[name=pick]:checked"));
  const back = form.matches(".undo form") ? undone : decided;
  held = true;
  let page;
  try {
    const response = await fetch(action, { method: "POST", body });
    if (response.ok) page = new DOMParser().parseFromString(await response.text(), "text/html");
  } catch {
    held = false;
    return announce("Nothing was changed: the server is unreachable.");
  }
  held = false;
  holds++;
  if (!page?.querySelector("[data-inbox]")) {
    sending = true;
    return form.requestSubmit(button);
  }
  const notice = document.querySelector("[data-part=notice]");
  notice.replaceChildren(...page.querySelector("[data-part=notice]").childNodes);
  announce(notice.textContent.trim());
  for (const box of document.querySelectorAll("[name=pick]:checked")) box.checked = false;
  for (const one of back) one.classList.remove("done");
  redraw(page);
  undone = form.matches(".undo form") ? [] : decided;
  const present = new Set([...page.querySelectorAll("[data-row]")].map((one) => one.dataset.row));
  if (action.pathname in outcomes) for (const one of decided) if (!present.has(one.dataset.row)) finish(one, outcomes[action.pathname]);
  if (moveOn && row) step(1);
  else (row || back[0])?.querySelector("th a.title")?.focus();
  moveOn = false;
  refreshHeld();
}

let sending = false; // the next submit is not handled here
let moveOn = false; // the next decision moves to the next row
let undone = []; // rows that undo brings back

document.addEventListener("submit", (event) => {
  if (sending) event.stopImmediatePropagation();
  sending = false;
}, true);

// finish marks a row whose article left the list. It stays until the list is drawn again, so that nothing moves.
function finish(row, outcome) {
  row.classList.add("done");
  const cell = row.querySelector(".places-in");
  const text = document.createElement("p");
  text.className = "outcome";
  text.textContent = outcome;
  cell.replaceChildren(text);
  for (const box of row.querySelectorAll("[name=pick]")) { box.checked = false; box.disabled = true; }
}

// keepPlaces updates the rows of the list where they are. New rows wait behind a button.
function keepPlaces(part, news) {
  const now = new Map([...news.querySelectorAll("[data-row]")].map((one) => [one.dataset.row, one]));
  const shown = rows().filter((one) => part.contains(one));
  const once = part.querySelector("[name=once]"), next = news.querySelector("[name=once]");
  if (!shown.length || !once || !next) return part.replaceChildren(...news.childNodes);
  once.value = next.value;
  for (const row of shown) {
    const fresh = now.get(row.dataset.row);
    now.delete(row.dataset.row);
    if (!fresh) continue;
    const text = row.querySelector(".story > .text");
    if (text) fresh.querySelector(".story").append(text);
    row.replaceChildren(...fresh.childNodes);
    row.classList.remove("done");
  }
  const first = shown[0].dataset.row;
  const above = [...news.querySelectorAll("[data-row]")].map((one) => one.dataset.row);
  const until = above.indexOf(first);
  const waiting = [...now.keys()].filter((uuid) => until < 0 || above.indexOf(uuid) < until).length;
  part.querySelector(".fresh")?.remove();
  if (!waiting) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "fresh";
  button.textContent = `${waiting} new`;
  button.addEventListener("click", () => location.assign(part.querySelector("[name=back]").value));
  part.prepend(button);
}
if (document.querySelector("[data-part=list]")) redrawn.list = keepPlaces;

// On the page of an article, j and k lead to its neighbours in the list.
for (const [key, way] of [["j", "next"], ["k", "prev"]]) {
  const neighbour = document.querySelector(`.neighbours [rel=${way}]`);
  if (neighbour) keys[key] = () => neighbour.click();
}

// Keys of lists. p moves on to the next row.
Object.assign(keys, {
  p: () => { moveOn = Boolean(inbox); return press("publish"); },
  x: () => { moveOn = Boolean(inbox); return press("dismiss"); },
  " ": () => read(currentRow()),
});

// read shows the text of an article below its title, or hides it.
async function read(row) {
  const title = row?.querySelector("[data-text]");
  if (!title || document.activeElement?.matches("button, input, summary")) return false;
  const open = row.querySelector(".story > .text");
  if (open) return open.remove();
  try {
    const response = await fetch(title.dataset.text);
    const text = new DOMParser().parseFromString(await response.text(), "text/html").querySelector("main .text");
    if (response.ok && text) row.querySelector(".story").append(text);
    announce(text ? text.textContent.trim().slice(0, 300) : "The source sends no text with this article.");
  } catch {
    announce("The text cannot be read: the server is unreachable.");
  }
}

// Times in the zone of the person. The footer names it.
function localTimes() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  for (const time of document.querySelectorAll("main time, footer time")) {
    const at = new Date(time.dateTime);
    time.title = at.toLocaleString(undefined, { dateStyle: "full", timeStyle: "long" });
    if (!/ago|now|^in /.test(time.textContent)) time.textContent = at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  }
  for (const name of document.querySelectorAll("[data-zone]")) name.textContent = zone;
}
localTimes();
document.addEventListener("redrawn", localTimes);
