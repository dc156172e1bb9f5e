import { decisionsPage } from "../.vitepress/generate/project-pages.mjs";

export default { paths: () => [{ params: { page: "all" }, content: decisionsPage() }] };
