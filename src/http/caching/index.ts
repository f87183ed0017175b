// Names that other modules import. The public entry point is ../index.ts.
export { chooseContentCoding, type ContentCoding, withVary } from "./content-coding.ts";
export { type ByteRange, matchesIfNoneMatch } from "./entity-tag.ts";
export { isNotModifiedPrevented, preventNotModified, type Validators } from "./precondition.ts";
export { type Content, sendContent } from "./send-content.ts";
