// The site of the community: votes and replies without a reload, and the keys of Lamer News.
"use strict";

const root = document.currentScript.dataset.root.replace(/\/$/, "");
for (const key of Object.keys(places)) delete places[key];
Object.assign(places, { t: root || "/", n: root + "/latest", s: root + "/saved", r: root + "/replies" });

// What was announced goes after a while.
let fading = 0;
new MutationObserver(() => {
  clearTimeout(fading);
  if (announcer.textContent) fading = setTimeout(() => { announcer.textContent = ""; }, 6000);
}).observe(announcer, { childList: true });

let refused = null; // button of a vote that the server refused

document.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (!button?.matches("[data-do]") || button === refused) return;
  event.preventDefault();
  cast(button);
});

// cast sends the vote of a button. Votes are final, so its buttons go.
async function cast(button) {
  if (button.disabled) return;
  const row = button.closest("[data-row]"), vote = button.value, label = button.ariaLabel.replace(/^.*?: /, "");
  button.disabled = true;
  let response;
  try {
    response = await fetch(button.formAction, { method: "POST", body: new URLSearchParams({ vote }), redirect: "manual" });
  } catch {
    button.disabled = false;
    return announce("The vote was not saved: the server is unreachable.");
  }
  if (response.type !== "opaqueredirect") {
    button.disabled = false;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (response.status === 401 || !page.getElementById("problem")) { // the page of the form shows the reason
      refused = button;
      return button.form.requestSubmit(button);
    }
    return announce(page.getElementById("problem").textContent);
  }
  show(row, vote);
  announce((vote === "up" ? "Voted up: " : "Voted down: ") + label);
}

// show shows a vote of the visitor on a row.
function show(row, vote) {
  const points = own(row, "[data-points]"), now = parseInt(points.textContent, 10) + (vote === "up" ? 1 : -1);
  points.textContent = now + (now === 1 ? " point" : " points");
  const [up, down] = ["up", "down"].map((way) => own(row, `[data-do=${way}]`));
  const said = document.createElement("span");
  said.className = up.matches(".up") ? "up" + (vote === "up" ? " cast" : "") : "cast";
  if (up.matches(".up")) {
    said.role = "img";
    said.ariaLabel = vote === "up" ? "You voted this up" : "You voted this down";
  } else {
    said.textContent = vote === "up" ? "Voted up" : "Voted down";
  }
  up.replaceWith(said);
  if (down) down.disabled = true, down.hidden = true;
}

// own returns the first element of a row that belongs to no row in it.
const own = (row, selector) => [...row.querySelectorAll(selector)].find((one) => one.closest("[data-row]") === row);

const pressVote = (way) => () => {
  const row = currentRow(), button = row && own(row, `[data-do=${way}]`);
  if (button) cast(button);
  else announce(row ? "This vote is not possible." : "Press j to go to a submission first.");
};
const follow = (selector) => () => {
  const row = currentRow(), link = row && own(row, selector);
  if (!link) return false;
  link.click();
};
delete keys.p;
delete keys.u;
keys.a = pressVote("up");
keys.z = pressVote("down");
keys.c = follow("[data-comments]");
keys.r = follow("[data-reply]");
keys.x = follow("summary");

// Replies are written below their comment. Without a script, the link leads to a page with the form.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-reply]"), form = document.querySelector("form.write");
  if (!link || !form || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const acts = link.closest(".acts"), open = acts.nextElementSibling;
  if (open?.matches("form.write")) return open.remove();
  const reply = form.cloneNode(true), area = reply.querySelector("textarea"), label = reply.querySelector("label");
  reply.querySelector("[name=parent_id]")?.remove();
  const parent = Object.assign(document.createElement("input"), { type: "hidden", name: "parent_id", value: link.dataset.reply });
  reply.prepend(parent);
  reply.querySelector(".hint")?.remove();
  area.removeAttribute("aria-describedby");
  area.value = "";
  area.id = label.htmlFor = "reply-" + link.dataset.reply;
  label.textContent = "Your reply";
  reply.querySelector("button").textContent = "Reply";
  acts.after(reply);
  area.focus();
});
