// Lists that editors arrange: entries move by mouse, touch and keys. A change shows at once and is saved in the background.
"use strict";

const list = () => document.querySelector("[data-order]");
const section = document.querySelector("[data-part=order]"); // stays when the page is redrawn
const notice = document.querySelector("[data-part=notice]");
const nameOf = (row) => row.querySelector(".what a").textContent.trim();
const placeOf = (row) => `position ${rows().indexOf(row) + 1} of ${rows().length}`;
const orderIn = (page) => [...page.querySelectorAll("[data-row]")].map((row) => row.dataset.row).join();
const handleOf = (row) => row.querySelector(".handle");
const edge = 70; // px at the top and the bottom of the window, where a drag scrolls
const calm = matchMedia("(prefers-reduced-motion: reduce)");
let moving = null; // the row that a person moves, where it was, and of a pointer: y, and how far that is below the top of the row
let queue = []; // changes that are not saved yet, the oldest first
let drawn = rows(); // the rows as the server sent them last
let known = orderIn(document); // the order that the person knows

document.querySelector("main").classList.add("moves");
history.replaceState(null, "", section.dataset.livePage.replace(/\/live$/, "")); // a reload shows neither an old notice nor a form again

// moveTo moves a row to an index. The rows in between move around it, so that it keeps the focus and the pointer.
function moveTo(row, index) {
  const all = rows(), from = all.indexOf(row), to = Math.min(Math.max(index, 0), all.length - 1);
  const between = to < from ? all.slice(to, from) : all.slice(from + 1, to + 1), tops = between.map((one) => one.offsetTop);
  if (to < from) row.after(...between);
  else row.before(...between);
  if (calm.matches) return;
  between.forEach((one, i) => one.animate({ translate: [`0 ${tops[i] - one.offsetTop}px`, "0 0"] }, { duration: 120, easing: "ease-out" }));
}

function grab(row, pointer) {
  moving = { row, from: rows().indexOf(row), ...pointer };
  hold();
  row.classList.add("grabbed");
  handleOf(row).ariaPressed = true;
  if (!pointer) announce(`${nameOf(row)} grabbed at ${placeOf(row)}. Arrow keys move it, Space drops it, Escape cancels.`);
}

// release ends a move: the row stays where it is now, or returns.
function release(drop) {
  const { row, from } = moving;
  moving = null;
  row.classList.remove("grabbed");
  row.style.translate = "";
  handleOf(row).ariaPressed = false;
  if (!drop) moveTo(row, from);
  if (rows().indexOf(row) !== from) place(row);
  else announce(`${nameOf(row)} stays at ${placeOf(row)}.`);
  hold();
}

// hold keeps events of the server from redrawing the page while a person changes it.
function hold() {
  const now = moving !== null || queue.length > 0;
  if (now && !held) holds++;
  held = now;
  refreshHeld();
}

// place saves that a row was moved to where it is.
function place(row) {
  const next = rows()[rows().indexOf(row) + 1];
  const to = next ? { before: next.dataset.row } : { position: list().dataset.most };
  change(`/lists/${list().dataset.order}/place`, { entry: row.dataset.row, version: "", ...to });
  announce(`${nameOf(row)} is at ${placeOf(row)}.`);
}

function remove(row) {
  const next = row.nextElementSibling ?? row.previousElementSibling;
  next?.querySelector("[data-do=remove]").focus();
  row.remove();
  change(`/lists/${list().dataset.order}/remove`, { entry: row.dataset.row, version: "" });
  announce(`${nameOf(row)} was removed.`);
}

// change saves a change after those that are not saved yet. An empty version gets the one that they lead to.
async function change(action, fields) {
  queue.push({ action, fields });
  hold();
  if (queue.length > 1) return;
  for (let version = list()?.dataset.version; queue.length; queue.shift()) {
    const { action, fields } = queue[0], page = await send(action, fields.version === "" ? { ...fields, version } : fields);
    if (!page) return;
    version = page.querySelector("[data-order]")?.dataset.version;
    if (queue.length === 1) draw(page, fields.entry, version);
  }
  hold();
}

// send returns the page that follows a form, or null if the change was refused.
async function send(action, fields) {
  let response, page;
  try {
    response = await fetch(action, { method: "POST", body: new URLSearchParams(fields), keepalive: true });
    page = new DOMParser().parseFromString(await response.text(), "text/html");
  } catch {
    return refuse("The change was not saved: the server is unreachable.");
  }
  const ours = page.querySelector("[data-part=order]");
  if (response.ok && ours) return page;
  if (response.status === 401) submit(action, fields);
  else if (response.ok) location.assign(response.url);
  else refuse((page.querySelector("#problem") ?? page.querySelector("h1")?.lastChild)?.textContent, ours && page);
  return null;
}

// submit sends a form as the browser does. The page that follows lets the person sign in, and sends it then.
function submit(action, fields) {
  const form = document.createElement("form");
  form.method = "post";
  form.action = action;
  for (const [name, value] of Object.entries(fields)) {
    const field = document.createElement("input");
    field.type = "hidden";
    field.name = name;
    field.value = value;
    form.append(field);
  }
  document.body.append(form);
  form.submit();
}

// refuse shows why a change was refused, with the list as it is: on the page of the server, if there is one.
function refuse(why, page) {
  queue = [];
  if (moving) release(false);
  if (page) {
    draw(page);
  } else {
    list()?.replaceChildren(...drawn);
    const message = document.createElement("p");
    message.className = "message trouble";
    message.role = "alert";
    message.textContent = why;
    notice.replaceChildren(message);
    stale = true;
  }
  notice.scrollIntoView({ block: "nearest" });
  hold();
  return null;
}

// draw shows the page of the server after a change of an entry, unless a person moves another one.
function draw(page, entry, version) {
  known = orderIn(page);
  notice.replaceChildren(...page.querySelector("[data-part=notice]").childNodes);
  if (moving) {
    list().dataset.version = version;
    stale = true;
    return;
  }
  redraw(page);
  if (document.activeElement === document.body) document.querySelector(`[data-row="${entry}"] .handle`)?.focus({ preventScroll: true });
}

document.addEventListener("redrawn", () => {
  drawn = rows();
  if (orderIn(document) !== known) announce("Someone else changed the order.");
  known = orderIn(document);
});

// The buttons of a row, and the forms beside a notice.
document.addEventListener("submit", (event) => {
  const form = event.target, row = form.closest("[data-row]");
  if (!row && !form.closest("[data-part=notice]")) return;
  event.preventDefault();
  if (!row) return change(form.action, Object.fromEntries(new FormData(form)));
  const to = { top: 0, up: rows().indexOf(row) - 1, down: rows().indexOf(row) + 1 }[event.submitter.dataset.do];
  if (to === undefined) return remove(row);
  moveTo(row, to);
  place(row);
});

document.addEventListener("keydown", (event) => {
  const row = event.target.closest?.(".handle")?.closest("[data-row]");
  const step = { ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity }[event.key];
  if (moving && event.key === "Escape") {
    release(false);
  } else if (moving?.row === row && step && moving.y === undefined) {
    moveTo(row, rows().indexOf(row) + step);
    row.scrollIntoView({ block: "nearest" });
    announce(`Now at ${placeOf(row)}.`);
  } else if (row && (event.key === " " || event.key === "Enter")) {
    if (moving) release(true);
    else grab(row);
  } else {
    return;
  }
  event.preventDefault();
});
section.addEventListener("focusout", () => { if (moving && moving.y === undefined) release(false); });

section.addEventListener("pointerdown", (event) => {
  const handle = event.target.closest(".handle"), row = handle?.closest("[data-row]");
  if (!row || event.button || moving) return;
  event.preventDefault(); // the text is not selected
  handle.focus({ preventScroll: true });
  handle.setPointerCapture(event.pointerId);
  grab(row, { y: event.clientY, below: event.clientY - row.getBoundingClientRect().top });
  requestAnimationFrame(scrollAtEdges);
});
section.addEventListener("pointermove", (event) => { if (moving?.y !== undefined) drag(event.clientY); });
section.addEventListener("pointerup", () => { if (moving?.y !== undefined) release(true); });
section.addEventListener("pointercancel", () => { if (moving?.y !== undefined) release(false); });

// drag moves the row to where the pointer is.
function drag(y) {
  const { row, below } = moving, at = y - below - list().getBoundingClientRect().top;
  moving.y = y;
  moveTo(row, rows().filter((one) => one !== row && one.offsetTop + one.offsetHeight / 2 < at + row.offsetHeight / 2).length);
  row.style.translate = `0 ${at - row.offsetTop}px`;
}

function scrollAtEdges() {
  if (moving?.y === undefined) return;
  const by = Math.max(0, moving.y + edge - innerHeight) - Math.max(0, edge - moving.y);
  if (by) {
    scrollBy(0, by / 5);
    drag(moving.y);
  }
  requestAnimationFrame(scrollAtEdges);
}
