/** A part of a multipart form: a field, or a file. */
export type Part = FieldPart | FilePart;

/** A field that is no file. */
export interface FieldPart {
  readonly kind: "field";
  readonly name: string;
  /** As typed: line breaks are those that the browser sent, CR LF. */
  readonly value: string;
}

/**
 * A file as it arrives: `for await (const bytes of part)`, once, before the next part is asked for. What is not read is
 * skipped. It can be given to a storage as it is: `storage.put(part)`.
 */
export interface FilePart extends AsyncIterable<Uint8Array> {
  readonly kind: "file";
  /** The name of the field. */
  readonly name: string;
  /** What its owner calls it: the last part of a path, one line, at most 200 characters. Never a path of ours. */
  readonly filename: string;
  /** The media type that the client declares. That it is true is not certain. */
  readonly contentType: string;
}

/** How much a multipart form may hold, beside the limit of the body: `Web.Middleware.bodyLimit`. Sizes are bytes. */
export interface UploadLimits {
  /** Files; more is E_TOO_MANY_FILES (413). Default 10. */
  readonly files?: number;
  /** Each file; more is E_FILE_TOO_LARGE (413). Default: as much as the body may have. */
  readonly fileSize?: number;
  /** Fields that are no file; more is E_TOO_MANY_PARAMETERS (400). Default: `limits.parameters` of the HTTP service, 1,000. */
  readonly fields?: number;
  /** All fields together, with their headers; more is E_FIELDS_TOO_LARGE (413). Default 1 MiB. */
  readonly fieldsSize?: number;
}

/** A form with its files, which wait in temporary files. */
export interface Upload {
  /** What an urlencoded form would have given: for `schema.decode(upload.fields)`. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** The files that were chosen, in the order of the form. */
  readonly files: readonly UploadedFile[];
  /** The first file of a field, or `undefined` when none was chosen. */
  readonly file: (name: string) => UploadedFile | undefined;
}

/** A file that was received as a whole. It can be given to a storage as it is: `storage.put(file)`. */
export interface UploadedFile extends AsyncIterable<Uint8Array> {
  /** The name of the field. */
  readonly name: string;
  /** What its owner calls it: the last part of a path, one line, at most 200 characters. Never a path of ours. */
  readonly filename: string;
  /** The media type that the client declares. That it is true is not certain. */
  readonly contentType: string;
  /** Bytes, as they were counted. */
  readonly size: number;
  /**
   * The type of an image by its first bytes: `image/png`, `image/jpeg`, `image/gif`, `image/webp` or `image/avif`;
   * `undefined` for all else. What follows these bytes was not looked at.
   */
  readonly imageType: string | undefined;
  /** The temporary file. It is gone when the work is done. */
  readonly path: string;
}
