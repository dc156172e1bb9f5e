export function resolveLink(href: string, file: string): string | undefined;
