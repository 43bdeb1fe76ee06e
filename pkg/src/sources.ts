/** Bytes, or where to get them. A string is an address, relative to the page's. */
export type ByteSource = string | URL | Uint8Array | ArrayBuffer | Blob | Response;

/** A compiled module, or where to get it. */
export type WasmSource = string | URL | Uint8Array | ArrayBuffer | WebAssembly.Module | Response;
