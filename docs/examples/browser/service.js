// The service as a web page uses it: one session that is refreshed, and pictures that are fetched with its token.

const KEPT = "walkaround-example";

let session = JSON.parse(sessionStorage.getItem(KEPT) || "null");
let refreshing = null;

function keep(next) {
  session = next;
  if (next) sessionStorage.setItem(KEPT, JSON.stringify(next));
  else sessionStorage.removeItem(KEPT);
}

export const isLoggedIn = () => session !== null;

/** A failure of the service; `error` is its stable code. */
export class ServiceError extends Error {
  constructor(status, envelope) {
    super(envelope?.msg || `status ${status}`);
    this.error = envelope?.data?.error;
  }
}

async function send(path, { method = "GET", body, headers = {} } = {}) {
  const given = body === undefined ? {} : { "Content-Type": "application/json" };
  if (session) given.Authorization = `Bearer ${session.access}`;
  const content = body === undefined ? undefined : JSON.stringify(body);
  return await fetch(`${session.base}${path}`, { method, body: content, headers: { ...given, ...headers } });
}

async function read(answer) {
  const envelope = await answer.json().catch(() => null);
  if (!answer.ok || envelope?.code === 1) throw new ServiceError(answer.status, envelope);
  return envelope;
}

function begin(base, tokens) {
  keep({ base, access: tokens.access_token, refresh: tokens.refresh_token });
}

export async function logIn(base, username, password) {
  session = { base };
  try {
    const answer = await send("/api/auth/login", { method: "POST", body: { username, password } });
    begin(base, (await read(answer)).data);
  } catch (error) {
    keep(null);
    throw error;
  }
}

/** New tokens for the refresh token. Calls at the same time share one request: a token can be used once. */
async function refresh() {
  const { base, refresh: token } = session;
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ refresh_token: token });
  const answer = await fetch(`${base}/api/auth/refresh`, { method: "POST", headers, body });
  if (answer.status === 401) keep(null);
  begin(base, (await read(answer)).data);
}

/** The answer to a request, after a refresh where the access token has expired. */
async function call(path, options) {
  const answer = await send(path, options);
  if (answer.status !== 401) return answer;
  refreshing ??= refresh().finally(() => { refreshing = null; });
  await refreshing;
  return await send(path, options);
}

export const get = async (path) => (await read(await call(path))).data;
export const post = async (path, body) => (await read(await call(path, { method: "POST", body }))).data;

/** The address of a picture in this page. An `<img>` cannot send a token, so the picture is fetched. */
export async function picture(fileId, size) {
  const answer = await call(`/api/files/${encodeURIComponent(fileId)}/thumbnail?size=${size}`);
  if (!answer.ok) throw new ServiceError(answer.status, await answer.json().catch(() => null));
  return URL.createObjectURL(await answer.blob());
}
