// Small helps. Every page works without them.

/** Buttons that copy; without this module they are not shown. */
document.documentElement.classList.add("js");

document.addEventListener("click", async (event) => {
  const button = event.target instanceof Element ? event.target.closest("[data-copy]") : null;
  if (!(button instanceof HTMLElement)) return;
  const label = button.getAttribute("aria-label");
  const isDone = await navigator.clipboard.writeText(button.dataset.copy ?? "").then(
    () => true,
    () => false,
  );
  button.classList.toggle("done", isDone);
  button.setAttribute("aria-label", isDone ? "Copied" : "Could not copy");
  setTimeout(() => {
    button.classList.remove("done");
    button.setAttribute("aria-label", label ?? "Copy");
  }, 1_500);
});

/** The key `/` leads to the search box, unless something is being written. */
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target instanceof Element && event.target.closest("input, textarea, select")) return;
  const box = document.querySelector("#find-large, #find");
  if (!(box instanceof HTMLInputElement)) return;
  event.preventDefault();
  box.focus();
});

/** Forms of filters answer as soon as a choice is made. */
for (const form of document.querySelectorAll("form[data-at-once]")) {
  form.addEventListener("change", () => form instanceof HTMLFormElement && form.requestSubmit());
}

/** Times in the reader's own clock, as a hint beside the UTC that the page shows. */
for (const time of document.querySelectorAll("time[datetime]")) {
  const local = new Date(time.getAttribute("datetime") ?? "");
  if (time instanceof HTMLElement && !Number.isNaN(local.getTime())) time.title = local.toLocaleString();
}

/*
 * Suggests names while the visitor types. Each suggestion is a request by the visitor, so it is off where requests are
 * metered.
 */

const PAUSE_MS = 250;
const SHORTEST = 3;
const LONGEST = 64;
const SUGGESTED = 8;

/** Names that contain a word, those first that begin with it. */
async function suggest(word, signal) {
  const query = new URLSearchParams({ q: word, page_size: "25", total: "false" });
  const reply = await fetch(new URL(`search-domains?${query}`, document.baseURI), { signal });
  if (!reply.ok) return [];
  const names = (await reply.json()).results.map(({ name }) => name);
  const begins = (name) => Number(!name.startsWith(word));
  return names.sort((a, b) => begins(a) - begins(b)).slice(0, SUGGESTED);
}

function suggestFor(box) {
  const list = document.createElement("datalist");
  list.id = `${box.id}-names`;
  box.after(list);
  box.setAttribute("list", list.id);
  let timer;
  let running = new AbortController();
  box.addEventListener("input", () => {
    clearTimeout(timer);
    running.abort();
    const word = box.value.trim().toLowerCase();
    if (word.length < SHORTEST || word.length > LONGEST || /[\s/:]|^0x/.test(word))
      return list.replaceChildren();
    timer = setTimeout(async () => {
      running = new AbortController();
      const names = await suggest(word, running.signal).catch(() => null); // Aborted: a newer word is being looked up.
      if (names === null) return;
      list.replaceChildren(
        ...names.map((name) => {
          const option = document.createElement("option");
          option.value = name;
          return option;
        }),
      );
    }, PAUSE_MS);
  });
}

if (document.body.hasAttribute("data-suggests")) {
  for (const box of document.querySelectorAll("#find, #find-large")) suggestFor(box);
}
