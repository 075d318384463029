// The form of a reference page: sends the request that it is filled with, and shows the answer as text.

const box = document.getElementById("try");
const status = document.getElementById("try-status");
const answer = document.getElementById("try-answer");

/** Longest answer that is shown, in characters. */
const MAX_SHOWN = 200_000;

/** The address of the request: values of the path in their places, all others in the query. */
function urlOf(form) {
  let path = box.dataset.path;
  const query = new URLSearchParams();
  for (const input of form.querySelectorAll("[data-in]")) {
    if (input.dataset.in === "path") path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
    else if (input.value !== "") query.set(input.name, input.value);
  }
  const text = query.toString();
  return new URL(text === "" ? path : `${path}?${text}`, document.baseURI);
}

function headersOf() {
  const key = document.getElementById("try-key")?.value.trim();
  const hasBody = document.getElementById("try-body") !== null;
  return { ...(key && { "X-API-Key": key }), ...(hasBody && { "Content-Type": "application/json" }) };
}

const inLines = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

async function send(form) {
  status.textContent = "Sending …";
  answer.hidden = true;
  try {
    const reply = await fetch(urlOf(form), {
      method: box.dataset.method,
      headers: headersOf(),
      body: document.getElementById("try-body")?.value,
    });
    const left = reply.headers.get("x-credits-remaining");
    status.textContent = `${reply.status}${left === null ? "" : `, x-credits-remaining: ${left}`}`;
    const type = reply.headers.get("content-type") ?? "";
    answer.textContent = type.startsWith("image/")
      ? `${type}, ${(await reply.arrayBuffer()).byteLength} bytes`
      : inLines(await reply.text()).slice(0, MAX_SHOWN);
    answer.hidden = false;
  } catch (error) {
    status.textContent = `Could not send the request: ${error instanceof Error ? error.message : error}`;
  }
}

if (box !== null) {
  box.hidden = false;
  box.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    send(event.target);
  });
}
