// Names that other modules import. The public entry point is ../index.ts.
export { chooseContentCoding, type ContentCoding, withVary } from "./content-coding.ts";
export { type ByteRange, matchesIfNoneMatch, parseEntityTags } from "./entity-tag.ts";
export { notModified } from "./not-modified.ts";
export { isNotModifiedPrevented, preventNotModified, type Validators } from "./precondition.ts";
export { inspectFile, realPathIn } from "./file.ts";
export { type Content, sendContent } from "./send-content.ts";
