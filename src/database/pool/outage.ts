import { Log } from "../../log/index.ts";
import type { Driver } from "../contract.ts";
import { errors } from "../errors.ts";

// Maximum time in which a database that can be reached answers a new connection, with success or an error.
const answerTimeoutMs = 2000;
const probeIntervalMs = 1000;

const log = Log.source("limmat.database");

/**
 * Detects a database that does not answer at all. After a timeout it opens a connection as a probe. If that is not
 * answered either, operations fail at once instead of waiting for their timeouts, until a probe is answered.
 */
export class OutageDetector {
  readonly #driver: Driver;
  readonly #onOutage: (error: Error) => void;
  #state: "available" | "suspected" | "outage" | "closed" = "available";

  /** `onOutage` is called with the error for the operations that wait. */
  constructor(driver: Driver, onOutage: (error: Error) => void) {
    this.#driver = driver;
    this.#onOutage = onOutage;
  }

  /** True if nothing was answered since a timeout. */
  get isSuspected(): boolean {
    return this.#state === "suspected" || this.#state === "outage";
  }

  /** Throws E_DATABASE_UNAVAILABLE during an outage. */
  assertAvailable(): void {
    if (this.#state === "outage") throw errors.E_DATABASE_UNAVAILABLE(this.#driver.location);
  }

  /** Notes that the database has not answered in time. */
  suspect(): void {
    if (this.#state !== "available") return;
    this.#state = "suspected";
    void this.#probeUntilAnswered();
  }

  /** Notes that the database has answered. */
  answered(): void {
    if (this.#state === "outage") log.info(`${this.#driver.location} answers again`);
    if (this.#state !== "closed") this.#state = "available";
  }

  /** Ends the probes. */
  close(): void {
    this.#state = "closed";
  }

  async #probeUntilAnswered(): Promise<void> {
    while (this.isSuspected) {
      const probe = this.#probe();
      const isLate = await Promise.race([probe.then(() => false), delay(answerTimeoutMs).then(() => true)]);
      if (isLate && this.#state === "suspected") {
        this.#state = "outage";
        const error = errors.E_DATABASE_UNAVAILABLE(this.#driver.location);
        log.error("The database does not answer: operations fail at once until it does", { error });
        this.#onOutage(error);
      }
      if (await probe) this.answered();
      else await delay(probeIntervalMs);
    }
  }

  /** Opens a connection and closes it. Returns true if the database has answered, which includes a quick error. */
  async #probe(): Promise<boolean> {
    const startedMs = performance.now();
    try {
      const connection = await this.#driver.connect("read");
      await connection.close();
      return true;
    } catch {
      return performance.now() - startedMs < answerTimeoutMs;
    }
  }
}

/** Waits in real time, even under a fake clock, because the database does not follow that. Keeps no process alive. */
const delay = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms).unref());
