export { messageFormat } from "./messageformat.ts";
