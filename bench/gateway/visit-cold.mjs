export async function visitCold() {}
