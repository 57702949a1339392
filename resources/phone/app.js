// The page of a phone that takes photos for a record: connects, takes photos, and keeps what it shows up to date.

import { change } from "./texts.js";
import { Sender } from "./sending.js";
import { show } from "./view.js";
import * as service from "./service.js";

const LOOK_MS = 10_000;
const AGAIN_MS = 3000;
const MOST_BYTES = 64 * 1024 * 1024;
const THUMBNAIL = 160;

const state = {
  ...{ view: null, ended: null, message: { title: "connecting", text: "" }, offline: false },
  ...{ chosen: null, next: null, until: 0, sender: null },
};
let token = service.takeToken();
let looking = null;

const render = () => show(state, { choose, remove: (photo) => state.sender.remove(photo) });
state.sender = new Sender(changed, codeEnded);

function changed() {
  const arrived = state.sender.photos.filter((one) => one.state === "arrived" && !one.seen);
  for (const photo of arrived) {
    photo.seen = true;
    const item = state.view?.items.find((one) => one.item_id === photo.item);
    if (item) item.photos += 1;
  }
  offerNext();
  if (arrived.length) look();
  render();
}

/** What comes after the chosen item: the next one that has no photo and none under way. */
function offerNext() {
  const items = state.view?.items || [];
  const place = items.findIndex((one) => one.item_id === state.chosen);
  const has = (one) => one.photos || state.sender.photos.some((photo) => photo.item === one.item_id && photo.state !== "refused");
  const inOrder = [...items.slice(place + 1), ...items.slice(0, Math.max(place, 0))];
  state.next = state.view?.item_id || place < 0 ? null : inOrder.find((one) => !has(one)) || null;
}

function choose(itemId) {
  state.chosen = itemId || null;
  offerNext();
  render();
  window.scrollTo({ top: 0 });
}

function take(view) {
  const first = !state.view || state.view.code_id !== view.code_id;
  Object.assign(state, { view, message: null, ended: null, offline: false });
  state.until = Date.now() + view.seconds_left * 1000;
  if (first) {
    const waiting = view.items.find((one) => !one.photos) || view.items[0];
    state.chosen = view.item_id || waiting?.item_id || null;
    state.sender.connect(view.inspection_id);
  } else if (state.chosen && !view.items.some((one) => one.item_id === state.chosen)) {
    state.chosen = view.items[0]?.item_id || null;
  }
  offerNext();
  render();
}

function codeEnded(error) {
  state.sender.stop();
  state.ended = error.data?.ended || "ended";
  const left = error.status === 401;
  state.message = left ? { title: "noCode", text: "noCodeText" } : { title: "ended", text: `end.${state.ended}` };
  service.forget();
  render();
}

const REFUSALS = { 404: ["unknown", "unknownText"], 409: ["taken", "takenText"], 422: ["unknown", "unknownText"] };

async function connect() {
  clearTimeout(looking);
  if (!token && !service.wasConnected()) {
    state.message = { title: "noCode", text: "noCodeText" };
    render();
    return;
  }
  try {
    const view = token ? await service.claim(token) : await service.view();
    token = "";
    take(view);
    looking = setTimeout(look, LOOK_MS);
  } catch (error) {
    notConnected(error);
  }
}

function notConnected(error) {
  const refused = error instanceof service.Refused;
  if (refused && [401, 410].includes(error.status)) {
    token = "";
    codeEnded(error);
  } else if (refused && REFUSALS[error.status]) {
    token = "";
    const [title, words] = REFUSALS[error.status];
    state.message = { title, text: words };
  } else {
    const words = refused && error.status === 429 ? "tooOften" : "failedText";
    state.message = { title: "failed", text: words, again: true };
    looking = setTimeout(connect, Math.max(AGAIN_MS, (error.retryAfter || 0) * 1000));
  }
  render();
}

/** Ask again what is shown; also tells the workstation that the phone is still there. */
async function look() {
  clearTimeout(looking);
  if (state.ended || !state.view) return;
  try {
    if (!document.hidden) take(await service.view());
  } catch (error) {
    if (error instanceof service.Refused && [401, 410].includes(error.status)) {
      codeEnded(error);
      return;
    }
    state.offline = !(error instanceof service.Refused);
    render();
  }
  looking = setTimeout(look, LOOK_MS);
}

/** A small upright picture, for the list; null for what the phone cannot show itself. */
async function thumbnail(file) {
  try {
    const bitmap = await createImageBitmap(file);
    const scale = THUMBNAIL / Math.max(bitmap.width, bitmap.height);
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(bitmap.width * scale));
    canvas.height = Math.max(1, Math.round(bitmap.height * scale));
    canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    bitmap.close();
    return await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.8));
  } catch {
    return null;
  }
}

function nameOf(file, number) {
  // Cameras of phones call every photo image.jpg.
  const two = (value) => String(value).padStart(2, "0");
  const at = new Date();
  const day = `${at.getFullYear()}${two(at.getMonth() + 1)}${two(at.getDate())}`;
  const ending = { "image/png": "png", "image/webp": "webp" }[file.type] || "jpg";
  const made = `photo-${day}-${two(at.getHours())}${two(at.getMinutes())}${two(at.getSeconds())}-${number}.${ending}`;
  return /^(image|photo)?\.?\w*$/i.test(file.name) || file.name.length > 200 ? made : file.name;
}

async function takeFiles(input) {
  const files = [...input.files];
  const itemId = state.chosen;
  input.value = "";
  for (const [place, file] of files.entries()) {
    const name = nameOf(file, place + 1);
    const heic = /heic|heif/i.test(file.type) || /\.hei[cf]$/i.test(file.name);
    if (heic) state.sender.refuse(name, itemId, "heic");
    else if (file.size > MOST_BYTES) state.sender.refuse(name, itemId, "too_large");
    else if (!file.size) state.sender.refuse(name, itemId, "invalid_input");
    else await state.sender.add(file, itemId, name, await thumbnail(file));
  }
}

for (const id of ["camera", "gallery"]) {
  const input = document.getElementById(id);
  input.addEventListener("change", () => takeFiles(input));
}
document.getElementById("next").addEventListener("click", () => choose(state.next.item_id));
document.getElementById("again").addEventListener("click", connect);
document.getElementById("language").addEventListener("click", () => {
  change();
  render();
});

function backAgain() {
  if (document.hidden) return;
  state.sender.start();
  if (state.view) look();
}

addEventListener("online", backAgain);
addEventListener("offline", () => {
  state.offline = true;
  render();
});
document.addEventListener("visibilitychange", backAgain);
// The next code is opened in the same tab: only the part behind the # is different.
addEventListener("hashchange", () => {
  token = service.takeToken();
  if (token) connect();
});
setInterval(render, 15_000);

render();
await state.sender.restore();
connect();
