// Keeps photos that have not arrived, across a reload: in IndexedDB, or in memory where there is none.

const NAME = "walkaround-phone";
const STORE = "photos";

let opening = null;

function open() {
  opening ??= new Promise((resolve) => {
    try {
      const request = indexedDB.open(NAME, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "id" });
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => resolve(null);
      request.onblocked = () => resolve(null);
    } catch {
      resolve(null);
    }
  });
  return opening;
}

function ended(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Keep a photo; false when it is only in this page. */
export async function put(photo) {
  const database = await open();
  if (!database) return false;
  try {
    await ended(database.transaction(STORE, "readwrite").objectStore(STORE).put(photo));
    return true;
  } catch {
    return false;
  }
}

/** Every photo that was kept, oldest first. */
export async function all() {
  const database = await open();
  if (!database) return [];
  try {
    const photos = await ended(database.transaction(STORE, "readonly").objectStore(STORE).getAll());
    return photos.sort((one, other) => one.added - other.added);
  } catch {
    return [];
  }
}

/** Forget a photo. */
export async function remove(id) {
  const database = await open();
  if (!database) return;
  try {
    await ended(database.transaction(STORE, "readwrite").objectStore(STORE).delete(id));
  } catch {
    // It is sent once more after a reload, and the service knows it already.
  }
}
