export { mediaType } from "./media-type.ts";
