export async function visitMemory() {}
