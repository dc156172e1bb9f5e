export { Pool } from "undici";
