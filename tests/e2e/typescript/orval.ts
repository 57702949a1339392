import { authLogin, filesUploadFile, inspectionCreate, inspectionSearch } from "./generated/orval/api";

const [, , url, username, password] = process.argv as [string, string, string, string, string];
const original = globalThis.fetch;
globalThis.fetch = (path, options) => original(`${url}${String(path)}`, options);
const login = await authLogin({ username, password });
if (login.status !== 200 || !login.data.data) throw new Error(login.data.msg ?? "no tokens");
const options = { headers: { Authorization: `Bearer ${login.data.data.access_token}` } };
const created = await inspectionCreate({ task_id: "T-1", inspection_name: "orval" }, options);
if (created.status !== 200) throw new Error(created.data.msg);
const record = created.data.data;
const found = await inspectionSearch({ current_page: 1, page_size: 10 }, options);
if (found.status !== 200) throw new Error(found.data.msg);
const stored = await filesUploadFile({ file: new File(["text"], "note.txt") }, options);
if (stored.status !== 200) throw new Error(stored.data.msg);
console.log(JSON.stringify([record.inspection_name, found.data.data.data.map((one) => one.inspection_id).includes(record.inspection_id), stored.data.data.size]));
