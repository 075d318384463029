// The list of watched names: it is in this browser alone. Pages work without it.

const STORED = "namedex-watched";
const MAX_WATCHED = 50;

function read() {
  try {
    const names = JSON.parse(localStorage.getItem(STORED) ?? "[]");
    return Array.isArray(names) ? names.filter((name) => typeof name === "string").slice(0, MAX_WATCHED) : [];
  } catch {
    return []; // The browser keeps nothing, or what is stored is no list.
  }
}

function write(names) {
  try {
    localStorage.setItem(STORED, JSON.stringify([...new Set(names)].slice(0, MAX_WATCHED)));
    return true;
  } catch {
    return false;
  }
}

/** The button of a name's page. */
for (const button of document.querySelectorAll("button[data-watch]")) {
  const name = button.dataset.watch;
  const show = () => {
    const isWatched = read().includes(name);
    button.setAttribute("aria-pressed", String(isWatched));
    button.lastElementChild.textContent = isWatched ? "Watched" : "Watch";
  };
  show();
  button.addEventListener("click", () => {
    const names = read();
    write(names.includes(name) ? names.filter((one) => one !== name) : [name, ...names]);
    show();
  });
}

/** The page of the list: without names in its address it shows those of this browser. */
const page = document.querySelector("[data-watched]");
if (page !== null) {
  const names = read();
  const isOwn = !new URLSearchParams(location.search).has("names");
  if (isOwn && names.length > 0) {
    location.replace(
      new URL(`explore/watch?${new URLSearchParams({ names: names.join(",") })}`, document.baseURI),
    );
  }
}

/** What is written into the list is the list of this browser from then on. */
for (const form of document.querySelectorAll("form[data-watch-list]")) {
  form.addEventListener("submit", () => write(form.elements.names.value.split(/[\s,]+/u).filter(Boolean)));
}
