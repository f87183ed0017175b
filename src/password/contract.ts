/** Cost parameters of argon2id. */
export interface Argon2Cost {
  /** Memory, in KiB. */
  readonly memoryKiB: number;
  readonly passes: number;
  /** Number of lanes. */
  readonly parallelism: number;
}

/** Parameters of one argon2id computation. */
export interface Argon2Parameters extends Argon2Cost {
  /** Salt of 8 to 64 bytes. */
  readonly salt: Buffer;
  /** Length of the hash, in bytes. */
  readonly outputBytes: number;
}

/** Implementation of argon2id (RFC 9106). All implementations compute the same hashes. */
export interface Argon2Backend {
  /**
   * Checks that argon2id can be computed. The user service calls it when it starts.
   *
   * @throws E_PASSWORD_UNSUPPORTED, E_PASSWORD_LIBRARY_MISSING (both may reject)
   */
  readonly check: () => void | Promise<void>;
  /**
   * Computes a hash on another thread: on the thread pool of libuv, whose size limits the number of hashes at a time.
   *
   * @param password bytes of 1 to 4,096 characters
   * @throws the errors of `check`, or the error of a computation that failed, such as memory that is missing (reject)
   */
  readonly argon2id: (password: Uint8Array, parameters: Argon2Parameters) => Promise<Uint8Array>;
}
