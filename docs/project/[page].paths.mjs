import { projectPages } from "../.vitepress/generate/project-pages.mjs";

export default { paths: () => projectPages().map(({ page, content }) => ({ params: { page }, content })) };
