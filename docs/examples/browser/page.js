// Lists records, shows the newest photo of each item of one, and sets verdicts.

import { get, isLoggedIn, logIn, picture, post } from "./service.js";

const find = (id) => document.getElementById(id);

function element(name, text, properties = {}) {
  return Object.assign(document.createElement(name), { textContent: text, ...properties });
}

/** Runs `work` and shows its failure. */
async function attempt(work) {
  find("message").textContent = "";
  try {
    await work();
  } catch (error) {
    find("message").textContent = `${error.message} ${error.error ? `(${error.error})` : ""}`;
    // The session has ended: what the page shows can do nothing until the next login.
    if (!isLoggedIn()) showLogin();
  }
}

function showLogin() {
  find("login").hidden = false;
  find("record").textContent = "";
  for (const id of ["records", "items"]) find(id).replaceChildren();
}

async function showRecords() {
  find("login").hidden = true;
  const page = await get("/api/inspection/search?current_page=1&page_size=20");
  find("records").replaceChildren(
    ...page.data.map((record) => {
      const row = element("li", "");
      const open = () => attempt(() => showRecord(record));
      row.append(element("button", record.inspection_name || record.inspection_id, { onclick: open }));
      return row;
    }),
  );
}

async function showRecord(record) {
  const query = `inspection_id=${encodeURIComponent(record.inspection_id)}&current_page=1&page_size=50`;
  const items = await get(`/api/inspection_item/list?${query}`);
  find("record").textContent = record.inspection_name || record.inspection_id;
  find("items").replaceChildren(...(await Promise.all(items.data.map(showItem))));
}

async function showItem(item) {
  const row = element("li", "");
  const verdict = element("strong", verdictOf(item));
  row.append(element("span", `${item.item_name} `), verdict);
  const photos = await get(`/api/inspection_item/${encodeURIComponent(item.item_id)}/photos`);
  const newest = photos.at(-1);
  if (newest) row.append(element("img", "", {
    alt: item.item_name,
    src: await picture(newest.file_id, 512),
    // The bytes are released once they are decoded.
    onload: ({ target }) => URL.revokeObjectURL(target.src),
  }));
  const reason = element("input", "", { ariaLabel: "Reason", placeholder: "Reason" });
  row.append(reason);
  for (const value of ["passed", "failed"]) {
    const decide = () => attempt(async () => {
      const path = `/api/inspection_item/${encodeURIComponent(item.item_id)}/verdict`;
      try {
        verdict.textContent = verdictOf(await post(path, { verdict: value, reason: reason.value || null }));
      } catch (error) {
        // A verdict other than the model's opinion needs a reason.
        if (error.error === "reason_too_short") reason.focus();
        throw error;
      }
    });
    row.append(element("button", value, { onclick: decide, className: value }));
  }
  return row;
}

/** The verdict of the newest entry: a later detection or correction ends it. */
function verdictOf(item) {
  return item.result.at(-1)?.verdict?.value ?? "undecided";
}

find("login").addEventListener("submit", (event) => {
  event.preventDefault();
  const [service, username, password] = ["service", "username", "password"].map((id) => find(id).value);
  attempt(async () => {
    await logIn(service, username, password);
    await showRecords();
  });
});
if (isLoggedIn()) attempt(showRecords);
