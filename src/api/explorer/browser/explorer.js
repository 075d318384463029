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
  button.setAttribute("aria-label", isDone ? "Copied" : "Copying failed");
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
