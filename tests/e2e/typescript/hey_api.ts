import { client } from "./generated/hey_api/client.gen";
import { authLogin, filesUploadFile, inspectionCreate, inspectionSearch } from "./generated/hey_api";

const [, , baseUrl, username, password] = process.argv as [string, string, string, string, string];
client.setConfig({ baseUrl });
const login = await authLogin({ body: { username, password }, throwOnError: true });
const tokens = login.data.data;
if (!tokens) throw new Error(login.data.msg ?? "no tokens");
client.setConfig({ baseUrl, auth: () => tokens.access_token });
const created = await inspectionCreate({ body: { task_id: "T-1", inspection_name: "hey_api" }, throwOnError: true });
const record = created.data.data;
const found = await inspectionSearch({ query: { current_page: 1, page_size: 10 }, throwOnError: true });
const stored = await filesUploadFile({ body: { file: new File(["text"], "note.txt") }, throwOnError: true });
console.log(JSON.stringify([record.inspection_name, found.data.data.data.map((one) => one.inspection_id).includes(record.inspection_id), stored.data.data.size]));
