/** Message of the application process to the development server. */
export type ChildMessage =
  /** The application imported a file. */
  | { readonly kind: "file"; readonly path: string }
  /** The application listens. */
  | { readonly kind: "listening"; readonly port: number };

/** First message to the application process: the packages to preload. */
export interface PreloadMessage {
  /** URLs of modules. */
  readonly packages: readonly string[];
}

/** Second message to the application process: load the application. */
export interface StartMessage {
  /** Port of the development server, which browsers connect to. */
  readonly port: number;
}
