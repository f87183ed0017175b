// Names that other modules import. The public entry point is ../index.ts.
export type { FieldPart, FilePart, Part, Upload, UploadLimits, UploadedFile } from "./part.ts";
