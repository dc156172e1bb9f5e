export async function visitResolve() {}
