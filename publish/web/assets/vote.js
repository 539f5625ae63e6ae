// Votes: without a reload, by mouse and keys, and those of others as they come.
"use strict";

const worth = { up: 1, down: -1, none: 0 };
const saidVote = { up: "Voted up: ", down: "Voted down: ", none: "Vote taken back: " };
const ballots = () => [...document.querySelectorAll("[data-vote]")];
const ballotOf = (number) => ballots().find((one) => one.dataset.vote === number);
const voteButton = (ballot, way) => ballot.querySelector(`[data-do=${way}]`);
const voteOf = (ballot) => ["up", "down"].find((way) => voteButton(ballot, way)?.ariaPressed === "true") ?? "none";
let refusedVote = null; // button of a vote that the server refused

document.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (!button?.matches("[data-vote] button") || button === refusedVote) return;
  event.preventDefault();
  castVote(button);
});

// castVote sends the vote of a button. The key z sends the vote before.
async function castVote(button) {
  const ballot = button.closest("[data-vote]"), before = voteOf(ballot), vote = button.value;
  if (ballot.dataset.sending) return;
  ballot.dataset.sending = vote;
  let response;
  try {
    response = await fetch(button.formAction, { method: "POST", body: new URLSearchParams({ vote }), redirect: "manual" });
  } catch {
    return announce("The vote was not saved: the server is unreachable.");
  } finally {
    delete ballot.dataset.sending;
  }
  if (response.type !== "opaqueredirect") { // the page of the form shows the reason
    refusedVote = button;
    return button.form.requestSubmit(button);
  }
  const held = voteOf(ballot);
  if (held !== vote) showVotes(ballot, Number(ballot.querySelector("[data-votes]").textContent) + worth[vote] - worth[held], vote);
  undo = () => {
    const back = ballotOf(ballot.dataset.vote)?.querySelector(`button[value=${before}]`);
    if (back) castVote(back);
  };
  announce(saidVote[vote] + button.ariaLabel.replace(/^.*?: /, ""));
}

// showVotes shows the number of votes and the own vote, which its button takes back.
function showVotes(ballot, votes, own) {
  ballot.querySelector("[data-votes]").textContent = votes;
  for (const way of ["up", "down"]) {
    const button = voteButton(ballot, way);
    if (!button) continue;
    button.ariaPressed = own === way;
    button.value = own === way ? "none" : way;
  }
}

// votes returns the action of a key. Pages of one entry have one ballot.
const votes = (way) => () => {
  const all = ballots(), ballot = currentRow()?.querySelector("[data-vote]") ?? (all.length === 1 ? all[0] : null);
  const button = ballot && voteButton(ballot, way);
  if (button) castVote(button);
  else announce(ballot ? "Voting on this entry has closed." : "Press j to go to an entry first.");
};
keys["+"] = votes("up");
keys["-"] = votes("down");

// Votes of others come as events, to pages that are visible: a browser opens only a few connections to a server.
const retryVotes = 30_000; // ms
let voteStream = null;

function followVotes() {
  const shown = document.hidden ? [] : ballots().slice(0, 100).map((ballot) => ["entry", ballot.dataset.vote]);
  const address = shown.length ? "/votes/live?" + new URLSearchParams(shown) : "";
  if ((voteStream?.address ?? "") === address) return;
  voteStream?.close();
  voteStream = null;
  if (!address) return;
  const stream = voteStream = new EventSource(address);
  stream.address = address;
  stream.addEventListener("entry_voted", (event) => {
    const { entry, votes, vote } = JSON.parse(event.data);
    const ballot = ballotOf(entry.replace("Entry:", ""));
    if (ballot) showVotes(ballot, votes, vote);
  });
  stream.addEventListener("error", () => {
    if (stream.readyState !== EventSource.CLOSED || stream !== voteStream) return; // it reconnects, or another one has followed
    voteStream = null;
    setTimeout(followVotes, retryVotes);
  });
}
document.addEventListener("visibilitychange", followVotes);
document.addEventListener("redrawn", followVotes);
document.addEventListener("recovered", followVotes);
addEventListener("pagehide", () => { voteStream?.close(); voteStream = null; });
addEventListener("pageshow", followVotes);
