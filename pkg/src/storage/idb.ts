// IndexedDB by promises, as far as this package uses it.

/** Opens a database of one version, with those stores; keys of a store are given, or counted up. */
export async function openDatabase(name: string, stores: Record<string, 'given' | 'counted'>): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => {
    for (const [store, keys] of Object.entries(stores)) {
      request.result.createObjectStore(store, { autoIncrement: keys === 'counted' });
    }
  };
  return await new Promise<IDBDatabase>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error('Another page has the database open.'));
  });
}

/** Calls `forget` when the database is taken away: another page deletes it, or the browser does. */
export function onTakenAway(database: IDBDatabase, forget: () => void): void {
  database.onversionchange = () => {
    forget();
    database.close();
  };
  database.onclose = forget;
}

/** Waits for a request; its transaction goes on. */
export function asked<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Waits until a whole transaction has taken effect. */
export function completed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
    transaction.onerror = () => reject(transaction.error);
  });
}

/** Awaits the result of a request once its whole transaction has taken effect. */
export async function done<T>(
  transaction: IDBTransaction,
  store: string,
  ask: (store: IDBObjectStore) => IDBRequest,
): Promise<T> {
  const request = ask(transaction.objectStore(store));
  await completed(transaction);
  return request.result as T;
}
