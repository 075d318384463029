// Keeps the parts of a page marked with `data-live` current: after a change in the feed, fetches the page again and replaces
// these parts. Without this module, or if the stream is refused, the page stays as it was sent.

/** A page about certain names follows only their changes; other pages follow all names. */
const names = document.querySelector("[data-live-names]")?.dataset.liveNames.split(",");

/** Changes that the page shows. */
const types = ["name.registered", "name.renewed", "name.transferred", "name.wrapped", "name.unwrapped"];
const more = names
  ? ["name.expiry_changed", "name.expired", "name.grace_ended", "name.premium_ended"]
  : ["primary_name.changed"];
const url = new URL(`changes/stream?type=${[...types, ...more].join(",")}`, document.baseURI);

/** Visitors who leave at once need no stream. */
const STAYS_MS = 3_000;
/**
 * Delays between a change and the fetches of the page. Statistics are refreshed twice a minute; answers about a name are
 * current at once.
 */
const LOOKS_MS = names ? [500, 5_000] : [4_000, 15_000, 20_000];
/** Streams in a row that may end early. After that, the page stays as it is until it is reloaded. */
const MOST_FAILURES = 5;
const EARLY_MS = 60_000;
const AGAIN_MS = 10_000;

let stream = null;
let openedAt = 0;
let failures = 0;
let isPaused = false;
let timer;
/** The next of the looks; null while none is to come. */
let next = null;

function open() {
  if (stream !== null || isPaused || document.hidden || failures >= MOST_FAILURES) return;
  stream = new EventSource(url);
  openedAt = Date.now();
  stream.addEventListener("open", () => {
    openedAt = Date.now();
  });
  stream.addEventListener("change", ({ data }) => {
    if (next !== 0 && (!names || names.includes(JSON.parse(data).domain))) look(0);
  });
  stream.addEventListener("error", onError);
}

function close() {
  stream?.close();
  stream = null;
}

/** A browser connects again by itself where a stream broke off, and not where it was refused. */
function onError() {
  failures = Date.now() - openedAt > EARLY_MS ? 1 : failures + 1;
  if (stream?.readyState !== EventSource.CLOSED && failures < MOST_FAILURES) return;
  close();
  setTimeout(open, AGAIN_MS * failures);
}

function look(step) {
  clearTimeout(timer);
  next = step < LOOKS_MS.length ? step : null;
  if (next === null) return;
  timer = setTimeout(async () => {
    next = null;
    if (!isPaused && !document.hidden) await refresh().catch(() => {});
    if (next === null) look(step + 1);
  }, LOOKS_MS[step]);
}

async function refresh() {
  const reply = await fetch(location.href, { headers: { accept: "text/html" } });
  if (!reply.ok) return;
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  for (const old of document.querySelectorAll("[data-live]")) {
    const fresh = page.querySelector(`[data-live="${old.getAttribute("data-live")}"]`);
    // A link that has the focus stays where it is.
    if (fresh === null || old.contains(document.activeElement)) continue;
    if (fresh.innerHTML !== old.innerHTML) old.replaceWith(document.adoptNode(fresh));
  }
}

/** A reader can stop it. */
const button = document.querySelector("button.pause");
button?.addEventListener("click", () => {
  isPaused = !isPaused;
  button.textContent = isPaused ? "Resume" : "Pause";
  if (isPaused) return close();
  failures = 0;
  open();
  look(0);
});

document.addEventListener("visibilitychange", () => {
  if (document.hidden) return close();
  open();
  look(0);
});
addEventListener("pagehide", close);

if (document.querySelector("[data-live]") !== null) setTimeout(open, STAYS_MS);
