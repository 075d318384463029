// The page /signup: connects a wallet of the browser (EIP-1193, EIP-6963), has it sign the service's message, and shows
// the key. Whatever comes from elsewhere is written as text, never as HTML.

const WAIT_FOR_WALLETS_MS = 400;
const DECLINED = 4001;
const ASKED_ALREADY = -32002;

const element = (id) => document.getElementById(id);

/** Asks the service. Throws what it says, or that it cannot be reached. */
async function ask(path, init) {
  const reply = await fetch(new URL(path, document.baseURI), init).catch(() => {
    throw new Error("The service cannot be reached. Try again in a moment.");
  });
  const body = await reply.json().catch(() => ({}));
  if (!reply.ok) throw new Error(body.error?.message ?? `The service answered ${reply.status}.`);
  return body;
}

const post = (path, body) =>
  ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

function say(id, text) {
  element(id).textContent = text;
}

/** What went wrong, for people: wallets answer with codes. */
function explain(error) {
  if (error?.code === DECLINED) return "You declined in the wallet. Nothing was signed.";
  if (error?.code === ASKED_ALREADY)
    return "The wallet has a question open already: look there, then try again.";
  return error?.message || "The wallet gave no reason. Try again.";
}

const toHex = (text) =>
  `0x${[...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;

async function signUp(provider) {
  say("progress", "Choose an account in your wallet.");
  const [address] = await provider.request({ method: "eth_requestAccounts" });
  if (!address) throw new Error("The wallet gave no account. Unlock it, and try again.");
  const { message, domain } = await post("signup/nonce", { address });
  if (domain !== location.host)
    throw new Error(`Keys of this service are signed for at ${domain}: open /signup there.`);
  say("progress", "Sign the message in your wallet. It costs nothing and moves nothing.");
  const signature = await provider.request({ method: "personal_sign", params: [toHex(message), address] });
  say("progress", "Checking the signature.");
  return post("signup", { message, signature });
}

function showKey({ key, is_first }) {
  say("key", key);
  say("example", `curl -H "X-API-Key: ${key}" "${new URL("whois/alice.eth", document.baseURI)}"`);
  say(
    "made-note",
    is_first
      ? "It is shown this once, and stored nowhere: copy it now, and keep it like a password."
      : "It replaces the key that this address had, which has ended. It is shown this once: copy it now.",
  );
  element("made").hidden = false;
  element("made-title").focus();
}

async function onWallet(provider) {
  const buttons = [...element("wallets").querySelectorAll("button")];
  for (const button of buttons) button.disabled = true;
  say("fault", "");
  try {
    const made = await signUp(provider);
    showKey(made);
    element("usage-key").value = made.key;
    await showAccount(made.key);
  } catch (error) {
    say("fault", explain(error));
  }
  say("progress", "");
  for (const button of buttons) button.disabled = false;
}

const known = new Set();

/** A button for a wallet; its name and picture are its own. */
function addWallet({ name, icon, provider }) {
  if (known.has(provider)) return;
  known.add(provider);
  const button = document.createElement("button");
  button.type = "button";
  if (typeof icon === "string" && icon.startsWith("data:image/")) {
    const picture = document.createElement("img");
    picture.src = icon;
    picture.alt = "";
    button.append(picture);
  }
  button.append(`Sign with ${String(name).slice(0, 40)}`);
  button.addEventListener("click", () => onWallet(provider));
  element("wallets").append(button);
  element("no-wallet").hidden = true;
}

/** Wallets that announce themselves come first; one that only sits at `window.ethereum` counts if no other does. */
function findWallets() {
  window.addEventListener("eip6963:announceProvider", ({ detail }) => {
    if (detail?.provider && detail.info) addWallet({ ...detail.info, provider: detail.provider });
  });
  window.dispatchEvent(new Event("eip6963:requestProvider"));
  const settle = () => {
    if (known.size > 0) return;
    if (window.ethereum) addWallet({ name: "your browser's wallet", provider: window.ethereum });
    else element("no-wallet").hidden = false;
  };
  window.addEventListener("ethereum#initialized", settle, { once: true });
  setTimeout(settle, WAIT_FOR_WALLETS_MS);
}

function toRow({ day, operation, requests, credits }) {
  const row = document.createElement("tr");
  for (const text of [day, operation, requests.toLocaleString("en"), credits.toLocaleString("en")]) {
    const cell = document.createElement("td");
    cell.textContent = text;
    row.append(cell);
  }
  return row;
}

/** What a key has left, and what it was charged for. */
async function showAccount(key) {
  say("usage-fault", "");
  try {
    const { credits, usage } = await ask("signup/usage", { headers: { "X-API-Key": key } });
    say("credits", credits.toLocaleString("en"));
    element("usage").replaceChildren(...usage.map(toRow));
    element("used").hidden = usage.length === 0;
    element("unused").hidden = usage.length > 0;
    element("account").hidden = false;
  } catch (error) {
    element("account").hidden = true;
    say("usage-fault", explain(error));
  }
}

/** Without the clipboard (a page that is not secure has none) the text is selected, to be copied by hand. */
async function copy(button) {
  const source = element(button.dataset.of);
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(source);
    button.textContent = "Selected: press Ctrl+C";
  }
  setTimeout(() => {
    button.textContent = before;
  }, 2_000);
}

for (const button of document.querySelectorAll("[data-of]")) {
  button.addEventListener("click", () => copy(button));
}
element("usage-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const key = element("usage-key").value.trim();
  if (/^[\x21-\x7e]+$/.test(key)) return showAccount(key);
  element("account").hidden = true;
  say("usage-fault", "Paste your key: it begins with ens_.");
});
findWallets();
