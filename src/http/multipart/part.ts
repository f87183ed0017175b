/** Part of a multipart form: a field or a file. */
export type Part = FieldPart | FilePart;

/** Field that is not a file. */
export interface FieldPart {
  readonly kind: "field";
  readonly name: string;
  /** Value, as sent. Browsers send line breaks as CR LF. */
  readonly value: string;
}

/**
 * File of a multipart form, streamed as it arrives. Iterate it once, before the next part is requested:
 * `for await (const bytes of part)`. Unread bytes are skipped. A storage accepts it as it is: `storage.put(part)`.
 */
export interface FilePart extends AsyncIterable<Uint8Array> {
  readonly kind: "file";
  /** Name of the field. */
  readonly name: string;
  /** Client's name for the file: base name, one line, at most 200 characters. Never use it as a path on the server. */
  readonly filename: string;
  /** Media type declared by the client. It is not verified. */
  readonly contentType: string;
}

/** Limits of a multipart form, in addition to the limit of the body (`Web.Middleware.bodyLimit`). */
export interface UploadLimits {
  /** Maximum number of files; more is E_TOO_MANY_FILES (413). Default 10. */
  readonly maxFiles?: number;
  /** Maximum size of each file, in bytes; more is E_FILE_TOO_LARGE (413). Default: the limit of the body. */
  readonly maxFileBytes?: number;
  /** Maximum number of fields without a file; more is E_TOO_MANY_PARAMETERS (400). Default: `Limits.maxParameters`, 1,000. */
  readonly maxFields?: number;
  /** Maximum size of all fields with their headers, in bytes; more is E_FIELDS_TOO_LARGE (413). Default 1 MiB. */
  readonly maxFieldsBytes?: number;
}

/** Received multipart form. Its files are in temporary files. */
export interface Upload {
  /** Fields, as an urlencoded form has them: for `schema.decode(upload.fields)`. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Chosen files, in the order of the form. */
  readonly files: readonly UploadedFile[];
  /** Returns the first file of a field, `undefined` if none was chosen. */
  readonly file: (name: string) => UploadedFile | undefined;
}

/** File that was received completely. A storage accepts it as it is: `storage.put(file)`. */
export interface UploadedFile extends Omit<FilePart, "kind"> {
  /** Size in bytes, as counted. */
  readonly size: number;
  /**
   * Media type of an image by its first bytes: `image/png`, `image/jpeg`, `image/gif`, `image/webp` or `image/avif`;
   * `undefined` for any other content. The bytes after the signature are not checked.
   */
  readonly imageType: string | undefined;
  /** Path of the temporary file, which is removed when the callback of `upload` has finished. */
  readonly path: string;
}
