import createClient from "openapi-fetch";
import type { components, paths } from "./generated/schema";

const [, , url, username, password] = process.argv as [string, string, string, string, string];
const client = createClient<paths>({ baseUrl: url });
const login = await client.POST("/api/auth/login", { body: { username, password } });
const tokens = login.data?.data;
if (!tokens) throw new Error(login.error?.msg ?? "no tokens");
const headers = { Authorization: `Bearer ${tokens.access_token}` };
const created = await client.POST("/api/inspection/create", { headers, body: { task_id: "T-1", inspection_name: "openapi_fetch" } });
const record: components["schemas"]["Record"] | undefined = created.data?.data;
const found = await client.GET("/api/inspection/search", { headers, params: { query: { current_page: 1, page_size: 10 } } });
const form = new FormData();
form.append("file", new Blob(["text"]), "note.txt");
const stored = await client.POST("/api/files", { headers, body: form as never, bodySerializer: (body) => body });
console.log(JSON.stringify([record?.inspection_name, found.data?.data.data.map((one) => one.inspection_id).includes(record?.inspection_id ?? ""), stored.data?.data.size]));
