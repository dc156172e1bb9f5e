// Tests come in two lengths. `npm test` has every claim and tries each law some hundred times; `npm run test:long`, which CI
// runs as well, tries them thousands of times, and runs what takes minutes.

/** Set by `npm run test:long`. */
export const isLong = process.env["ONYM_LONG"] !== undefined;
