/*
 * The one script of the inbox's pages: refreshes what a page shows while it is in sight, and copies text. All
 * else works without it.
 */

const intervalMs = 2000;
const maxIntervalMs = 30_000;

const statusLine = document.querySelector(".status");
/** The script of another version of the inbox has another name. */
const version = scriptOf(document);
let timer = 0;
let failures = 0;
/** @type {AbortController | undefined} of the request under way */
let asking;

/**
 * - `active`: asks for the page again and again
 * - `paused`: by the reader
 * - `lost`: the last request failed; it tries again with back-off
 * - `outdated`: the server refuses this page now, or is of another version: only a reload helps
 *
 * @param {"active" | "paused" | "lost" | "outdated"} state
 */
function say(state) {
  statusLine?.setAttribute("data-state", state);
}

/** @returns {string | undefined} */
function stateNow() {
  return statusLine?.getAttribute("data-state") ?? undefined;
}

async function refresh() {
  if (asking || document.visibilityState === "hidden" || stateNow() === "paused") return;
  clearTimeout(timer);
  asking = new AbortController();
  const { signal } = asking;
  const fresh = await fetchPage(signal);
  if (signal.aborted) return;
  asking = undefined;
  if (fresh === "outdated") return say("outdated");
  failures = fresh === "lost" ? failures + 1 : 0;
  say(fresh === "lost" ? "lost" : "active");
  if (fresh !== "lost") show(fresh);
  timer = window.setTimeout(refresh, Math.min(intervalMs * 2 ** failures, maxIntervalMs));
}

/**
 * @param {AbortSignal} signal
 * @returns {Promise<Document | "lost" | "outdated">}
 */
async function fetchPage(signal) {
  try {
    const response = await fetch(location.href, { signal, redirect: "manual", cache: "no-store" });
    if (response.status >= 500) return "lost";
    if (!response.ok) return "outdated";
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    return scriptOf(fresh) === version ? fresh : "outdated";
  } catch {
    return "lost";
  }
}

/** @param {Document} page */
function scriptOf(page) {
  return page.querySelector("script")?.getAttribute("src");
}

/** @param {Document} fresh */
function show(fresh) {
  const focused = document.activeElement;
  document.title = fresh.title;
  updateChildren(document.body, fresh.body);
  // An element that has moved has lost it.
  if (focused instanceof HTMLElement && focused.isConnected && focused !== document.activeElement) {
    focused.focus({ preventScroll: true });
  }
}

/**
 * Makes an element's content like that of another, and keeps what is alike: so focus, what is typed or selected
 * and what is open stay. Elements that may change their places are told by `data-key`.
 *
 * @param {Element} shown
 * @param {Element} fresh
 */
function updateChildren(shown, fresh) {
  const keys = new Set([...fresh.children].map(keyOf));
  /** @type {Map<string | null, Element>} */
  const keyed = new Map();
  for (const child of [...shown.children]) {
    if (!keyOf(child)) continue;
    if (keys.has(keyOf(child)) && !keyed.has(keyOf(child))) keyed.set(keyOf(child), child);
    else child.remove();
  }
  let next = shown.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    const found = keyOf(wanted) ? keyed.get(keyOf(wanted)) : firstAlike(next, wanted);
    if (found && found === next) next = next.nextSibling;
    else shown.insertBefore(found ?? document.importNode(wanted, true), next);
    // Should a key be there twice, the second is made anew.
    keyed.delete(keyOf(wanted));
    if (found) update(found, wanted);
  }
  while (next) {
    const { nextSibling } = next;
    next.remove();
    next = nextSibling;
  }
}

/**
 * @param {ChildNode | null} from the first sibling that it may be
 * @param {Node} wanted
 */
function firstAlike(from, wanted) {
  const isAlike = (/** @type {Node} */ one) =>
    one.nodeName === wanted.nodeName && !keyOf(one) && classOf(one) === classOf(wanted);
  let one = from;
  while (one && !isAlike(one)) one = one.nextSibling;
  return one;
}

/**
 * @param {Node} shown
 * @param {Node} fresh alike
 */
function update(shown, fresh) {
  if (!(shown instanceof Element && fresh instanceof Element)) {
    if (shown.nodeValue !== fresh.nodeValue) shown.nodeValue = fresh.nodeValue;
    return;
  }
  const steady = shown.getAttribute("data-steady");
  if (steady === "always" || (steady === "open" && shown.hasAttribute("open"))) return;
  for (const { name } of [...shown.attributes]) {
    // What is open, the reader has opened.
    if (name !== "open" && !fresh.hasAttribute(name)) shown.removeAttribute(name);
  }
  for (const { name, value } of [...fresh.attributes]) {
    if (name !== "open" && shown.getAttribute(name) !== value) shown.setAttribute(name, value);
  }
  updateChildren(shown, fresh);
}

/**
 * @param {Node} node
 * @returns {string | null}
 */
function keyOf(node) {
  return node instanceof Element ? node.getAttribute("data-key") : null;
}

/** @param {Node} node */
function classOf(node) {
  return node instanceof Element ? node.getAttribute("class") : null;
}

/** @param {HTMLElement} button */
async function copy(button) {
  const part = button.closest("section");
  const text = part?.querySelector("textarea");
  const said = part?.querySelector("[data-copied]");
  if (!(text && said)) return;
  try {
    await navigator.clipboard.writeText(text.value);
    said.textContent = said.getAttribute("data-copied");
  } catch {
    // There is no clipboard over plain HTTP from another host, or the browser forbids it.
    said.textContent = said.getAttribute("data-failed");
    text.closest("details")?.setAttribute("open", "");
  }
}

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest("button") : null;
  if (button?.hasAttribute("data-copy")) void copy(button);
  if (!button?.hasAttribute("data-pause")) return;
  const pauses = stateNow() !== "paused";
  clearTimeout(timer);
  asking?.abort();
  asking = undefined;
  say(pauses ? "paused" : "active");
  if (!pauses) timer = window.setTimeout(refresh, intervalMs);
});

document.addEventListener("visibilitychange", () => {
  if (stateNow() !== "outdated") void refresh();
});

if (statusLine) {
  say("active");
  timer = window.setTimeout(refresh, intervalMs);
}

// A module: none of these names is the page's.
export {};
