// Where the files of this package are, from the source as from the bundle.

/** Every file of the bundle but the program itself is one folder below `dist`, as this one is one below `src`. */
export const PACKAGE_FOLDER = new URL("../../", import.meta.url);
