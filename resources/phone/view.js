// Shows the page: the item that is photographed, the photos and how far they are, the items in their order.

import { current, text } from "./texts.js";
import * as service from "./service.js";

const SHOWN_ARRIVED = 4;

const byId = (id) => document.getElementById(id);
const pictures = new Map();
const rows = { items: new Map(), photos: new Map() };

function set(id, words) {
  const element = byId(id);
  if (element.textContent !== words) element.textContent = words;
}

function make(tag, name, ...children) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...children);
  return element;
}

function image(place, blob) {
  const shown = make("img");
  shown.alt = "";
  shown.src = URL.createObjectURL(blob);
  place.replaceChildren(shown);
}

/** The picture of an item's region in `place`, asked for once it comes into sight. */
function regionPicture(place, item) {
  if (place.dataset.item === item?.item_id) return;
  place.dataset.item = item?.item_id || "";
  place.replaceChildren();
  if (!item?.has_picture) return;
  const show = (blob) => blob && place.dataset.item === item.item_id && image(place, blob);
  if (!pictures.has(item.item_id)) {
    const asked = service.picture(item.item_id).catch(() => {
      // The line is lost, or the image is: the name says which item it is.
      pictures.delete(item.item_id);
      delete place.dataset.item;
      return null;
    });
    pictures.set(item.item_id, asked);
  }
  pictures.get(item.item_id).then(show);
}

const inSight = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (entry.isIntersecting) regionPicture(entry.target.firstChild, entry.target.item);
  }
}, { rootMargin: "200px" });

function itemRow(item, choose) {
  const words = make("span", "words", make("span", "name"), make("br"), make("span", "state"));
  const row = make("button", "row", make("span", "picture"), words, make("span", "mark"));
  row.type = "button";
  row.addEventListener("click", () => choose(row.item.item_id));
  return make("li", "", row);
}

function photoRow(remove) {
  const progress = make("progress");
  progress.max = 1;
  const words = make("div", "words", make("div", "name"), make("div", "state"), progress);
  const button = make("button", "");
  button.type = "button";
  const row = make("div", "row", make("div", "picture"), words, button);
  button.addEventListener("click", () => remove(row.photo));
  return make("li", "", row);
}

/** Rows by key in the list `name`, made when missing, in this order, the others taken away. */
function arrange(name, keys, build) {
  const list = byId(name);
  const known = rows[name];
  for (const [key, row] of known) {
    if (!keys.includes(key)) {
      row.remove();
      known.delete(key);
    }
  }
  keys.forEach((key, place) => {
    if (!known.has(key)) known.set(key, build());
    if (list.children[place] !== known.get(key)) list.insertBefore(known.get(key), list.children[place] || null);
  });
  return known;
}

function showTarget(state) {
  const { view, chosen } = state;
  const item = view.items.find((one) => one.item_id === chosen);
  set("target-label", text("item"));
  set("target-name", item ? item.item_name : text("whole"));
  set("target-photos", item ? text("photosOf", { n: item.photos }) : text("wholeHint"));
  regionPicture(byId("target-picture"), item);
  set("camera-text", text("take"));
  set("gallery-text", text("gallery"));
  const next = byId("next");
  next.hidden = !state.next;
  if (state.next) set("next", text("next", { name: state.next.item_name }));
}

function showItems(state, actions) {
  const whole = { item_id: "", item_name: text("whole"), photos: 0, has_picture: false };
  const listed = state.view.item_id ? [] : [...state.view.items, ...(state.view.items.length ? [whole] : [])];
  byId("items-part").hidden = !listed.length;
  set("items-title", text("items"));
  const known = arrange("items", listed.map((one) => one.item_id), () => itemRow(null, actions.choose));
  for (const item of listed) {
    const row = known.get(item.item_id).firstChild;
    row.item = item;
    row.setAttribute("aria-pressed", String((state.chosen || "") === item.item_id));
    row.querySelector(".name").textContent = item.item_name;
    const hint = item.item_id ? text("photosOf", { n: item.photos }) : text("wholeHint");
    row.querySelector(".state").textContent = hint;
    row.querySelector(".mark").textContent = item.photos ? "✓" : "";
    if (item.item_id) inSight.observe(row);
  }
}

function photoState(photo) {
  if (photo.state === "refused") return text(`refused.${photo.reason}`) || text("refused.other");
  return text(photo.state, { n: Math.floor((photo.share || 0) * 100) });
}

function showPhotos(state, actions) {
  const { sender, view } = state;
  const mine = sender.photos.filter((one) => one.record === sender.recordId);
  // What arrived before the page was loaded again is known from the service alone.
  const arrived = mine.filter((one) => one.state === "arrived");
  const ids = new Set(arrived.map((one) => one.id));
  for (const one of view?.uploads || []) if (one.state === "arrived") ids.add(one.upload_id);
  byId("photos-part").hidden = !mine.length && !ids.size;
  set("photos-title", ids.size ? `${text("photos")} · ${text("arrivedCount", { n: ids.size })}` : text("photos"));
  const hidden = new Set(arrived.slice(0, -SHOWN_ARRIVED));
  const newestFirst = mine.filter((one) => !hidden.has(one)).reverse();
  const known = arrange("photos", newestFirst.map((one) => one.id), () => photoRow(actions.remove));
  for (const photo of newestFirst) {
    const row = known.get(photo.id).firstChild;
    if (!row.photo && photo.thumbnail) image(row.querySelector(".picture"), photo.thumbnail);
    row.photo = photo;
    const item = (view?.items || []).find((one) => one.item_id === photo.item);
    row.querySelector(".name").textContent = item ? item.item_name : photo.name;
    const said = row.querySelector(".state");
    said.textContent = photoState(photo);
    said.className = `state${{ arrived: " good", refused: " bad" }[photo.state] || ""}`;
    const progress = row.querySelector("progress");
    progress.hidden = !["sending", "storing"].includes(photo.state);
    progress.value = photo.state === "storing" ? 1 : photo.share || 0;
    const button = row.querySelector("button");
    button.textContent = text("remove");
    button.hidden = !["waiting", "refused"].includes(photo.state);
  }
}

function line(state) {
  const { sender } = state;
  if (!state.ended && (sender.line || state.offline)) return text(sender.line || "offline");
  if (sender.waiting(false)) return text("keptOther", { n: sender.waiting(false) });
  return sender.kept ? "" : text("notKept");
}

function showMessage(state) {
  const { message, sender } = state;
  byId("message").hidden = !message;
  if (!message) return;
  set("message-title", text(message.title));
  const waiting = state.ended && sender.waiting() ? ` ${text("kept", { n: sender.waiting() })}` : "";
  set("message-text", text(message.text) + waiting);
  byId("again").hidden = !message.again;
  set("again", text("retry"));
}

/** Show all of `state`; `actions` has choose(item id) and remove(photo). */
export function show(state, actions) {
  document.documentElement.lang = current();
  set("language", text("other"));
  const { view } = state;
  set("record", view?.record_name || "Walkaround");
  const minutes = Math.max(0, Math.ceil((state.until - Date.now()) / 60_000));
  const left = view && !state.ended ? ` · ${text("left", { n: minutes })}` : "";
  set("maker", view ? text("maker", { name: view.made_by_name }) + left : "");
  const said = line(state);
  byId("line").hidden = !said;
  set("line", said);
  showMessage(state);
  byId("work").hidden = !view;
  document.querySelector(".target").hidden = Boolean(state.ended);
  if (!view) return;
  showTarget(state);
  showPhotos(state, actions);
  showItems(state.ended ? { ...state, view: { ...view, items: [] } } : state, actions);
}
