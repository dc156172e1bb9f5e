import { clientPages } from "../.vitepress/generate/client-pages.mjs";

export default { paths: () => clientPages().map(({ id, content }) => ({ params: { id }, content })) };
