export function sha256(bytes: Uint8Array): Uint8Array;
