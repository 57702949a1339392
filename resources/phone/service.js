// Asks the service. The token comes behind the # of the address, which no server sees, and goes at once.

const KEPT = "walkaround-phone";
const ANSWER_MS = 20_000;

let memory = {};

function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEPT)) || {};
  } catch {
    return memory;
  }
}

function keep(values) {
  memory = { ...kept(), ...values };
  try {
    localStorage.setItem(KEPT, JSON.stringify(memory));
  } catch {
    // Private windows: the page stays connected until it is closed.
  }
}

function random(bytes) {
  const numbers = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(numbers, (one) => one.toString(16).padStart(2, "0")).join("");
}

/** An id for a photo. */
export function newId() {
  return random(16);
}

/** What the service refused: `status`, `error` and its details. */
export class Refused extends Error {
  constructor(status, data, retryAfter) {
    super(`${status} ${data.error}`);
    Object.assign(this, { status, error: data.error, data, retryAfter });
  }

  /** Whether the same request may be taken later. */
  get mayPass() {
    return [408, 429, 500, 502, 503, 504].includes(this.status);
  }
}

/** The answer's data. Raises Refused, and TypeError, AbortError or SyntaxError when there is no line. */
async function ask(method, path, { body, json, milliseconds = ANSWER_MS } = {}) {
  const headers = {};
  const { key, code } = kept();
  if (key && code) headers.Authorization = `Phone ${code}.${key}`;
  if (json) headers["Content-Type"] = "application/json";
  else if (body) headers["Content-Type"] = "application/octet-stream";
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(), milliseconds);
  try {
    const url = new URL(path, import.meta.url);
    const content = json ? JSON.stringify(json) : body;
    const answer = await fetch(url, { method, headers, body: content, signal: giveUp.signal, cache: "no-store" });
    if ((answer.headers.get("Content-Type") || "").startsWith("image/")) return await answer.blob();
    if (answer.ok) return (await answer.json()).data;
    const envelope = await answer.json().catch(() => ({}));
    throw new Refused(answer.status, envelope.data || {}, Number(answer.headers.get("Retry-After")) || 0);
  } finally {
    clearTimeout(timer);
  }
}

/** The token of the address; the address loses it, so that it is in no history. */
export function takeToken() {
  const token = location.hash.slice(1);
  if (token) history.replaceState(null, "", location.pathname);
  return token;
}

/** Connect by a token; the key is made once for this phone. */
export async function claim(token) {
  if (!kept().key) keep({ key: random(24) });
  const view = await ask("POST", "claim", { json: { token, key: kept().key } });
  keep({ code: view.code_id });
  return view;
}

/** Whether this phone has claimed a code before. */
export const wasConnected = () => Boolean(kept().code);
/** Forget the code, which has ended. */
export const forget = () => keep({ code: null });
/** What is shown. */
export const view = () => ask("GET", "view");
/** The picture of an item's region, a Blob. */
export const picture = (itemId) => ask("GET", `items/${encodeURIComponent(itemId)}/picture`);
/** Begin a photo, or ask how much of it is there. */
export const begin = (photo) => ask("POST", "uploads", { json: photo });
/** Send bytes of a photo from `start` on. The last ones may take long: the service stores the photo. */
export const send = (id, start, body) =>
  ask("PUT", `uploads/${encodeURIComponent(id)}?start=${start}`, { body, milliseconds: 45_000 });
