import { Time, TimeInternals } from "../../time/index.ts";

/** Interval of the measurements, in milliseconds: normally, and while requests are shed. */
const normalIntervalMs = 10;
const overloadIntervalMs = 2;
/** Minimum duration of the part of a round in which requests are accepted while requests are shed, in milliseconds. */
const minSliceMs = 5;
/** Stop shedding after this many more on-time than late measurements. */
const recoveryCount = 250;
/** Delay until a probe, which accepts all requests again, in milliseconds: after a first overload, and at most. */
const minProbeDelayMs = 1000;
const maxProbeDelayMs = 32_000;
/** Duration of a probe in milliseconds. */
const probeMs = 1000;
/** An overload within this many milliseconds after the end of another one doubles the delay of the probe. */
const repeatWindowMs = 60_000;

/** Marker in the queue of the event loop. */
export interface QueueMarker {
  /** Puts the marker at the end of the queue. `onReached` is called when the events before it are processed. */
  readonly enqueue: () => void;
  readonly close: () => void;
}

/**
 * Creates a marker that is a message to this thread. The event loop receives it between the requests, in their order. A
 * timer would tell less: libuv processes up to 49,152 events of sockets before it looks at timers, so that a timer is a
 * second late although requests wait for about 0.1 s.
 */
export function createMessageMarker(onReached: () => void): QueueMarker {
  const { port1, port2 } = new MessageChannel();
  port2.addEventListener("message", onReached);
  port2.start();
  port2.unref();
  return { enqueue: () => port1.postMessage(0), close: () => port1.close() };
}

/**
 * Decides whether a request is shed because the process is overloaded.
 *
 * A marker in the queue of the event loop measures how long events wait. A burst may wait up to the limit, and is answered.
 * Beyond the limit, more requests arrive than are answered, and queueing would only make every response late. From then on
 * requests are accepted in the first half of each round of the queue, and shed in the other half, so that accepted requests
 * are answered soon, until the queue has been short often enough (the two states of CoDel, RFC 8289 §5).
 *
 * Clients that send the next request at once after a refusal keep the queue long, even if the server could answer them all.
 * Therefore a probe accepts all requests after a second. In its first second, a quarter of the limit is enough to end it, so
 * that few requests wait in vain. If the overload returns, the next probe is after two seconds, then after four, up to 32.
 */
export class LoadShedder {
  readonly #maxDelayMs: number;
  readonly #createMarker: typeof createMessageMarker;
  #isStarted = false;
  // Created by the first measurement: the module of Node takes 2 ms of the start otherwise.
  #marker: QueueMarker | undefined;
  /** Start of the last measurement, and whether it has not ended. */
  #enqueuedMs = 0;
  #isPending = false;
  #cancelTimer: (() => void) | undefined;

  #isOverloaded = false;
  #sliceMs = minSliceMs;
  #onTimeCount = 0;
  #probeDelayMs = minProbeDelayMs;
  #probeAtMs = 0;
  #recoveredMs = Number.NEGATIVE_INFINITY;

  /** @param maxDelayMs maximum delay of an event in milliseconds; 0 is no limit */
  constructor(maxDelayMs: number, createMarker: typeof createMessageMarker = createMessageMarker) {
    this.#maxDelayMs = maxDelayMs;
    this.#createMarker = createMarker;
  }

  /** True if a request that arrives now is to be shed; always false before `start`. */
  get shouldShed(): boolean {
    if (!this.#isStarted) return false;
    const now = Time.monotonic();
    const elapsedMs = now - this.#enqueuedMs;
    if (!this.#isPending) {
      if (elapsedMs >= (this.#isOverloaded ? overloadIntervalMs : normalIntervalMs)) this.#measure(now);
      return false;
    }
    if (elapsedMs <= this.#limitMs(now)) return false;
    if (!this.#isOverloaded) this.#beginShedding(now);
    return true;
  }

  /** Starts to measure. */
  start(): void {
    this.#isStarted = this.#maxDelayMs > 0;
    this.#enqueuedMs = Time.monotonic();
  }

  /** Ends the measurements. No request is shed any more. */
  stop(): void {
    this.#cancelTimer?.();
    this.#marker?.close();
    this.#marker = undefined;
    this.#isStarted = false;
    this.#isPending = false;
  }

  /** Delay of the pending measurement up to which requests are accepted, in milliseconds. */
  #limitMs(now: number): number {
    if (this.#isOverloaded) return this.#sliceMs;
    return now - this.#recoveredMs <= probeMs ? this.#maxDelayMs / 4 : this.#maxDelayMs;
  }

  #measure(now: number): void {
    this.#enqueuedMs = now;
    this.#isPending = true;
    this.#marker ??= this.#createMarker(() => this.#endMeasurement());
    this.#marker.enqueue();
  }

  #endMeasurement(): void {
    this.#isPending = false;
    if (!this.#isOverloaded || !this.#isStarted) return;
    const now = Time.monotonic();
    const delayMs = now - this.#enqueuedMs;
    const isOnTime = delayMs <= 2 * overloadIntervalMs;
    // It grows step by step, so that one pause of the process counts little.
    this.#setSlice(Math.min(delayMs / 2, this.#sliceMs * 2));
    this.#onTimeCount = Math.max(0, this.#onTimeCount + (isOnTime ? 1 : -1));
    if (this.#onTimeCount >= recoveryCount || now >= this.#probeAtMs) {
      this.#isOverloaded = false;
      this.#recoveredMs = now;
    } else {
      // Measures without requests, too.
      this.#cancelTimer?.();
      this.#cancelTimer = TimeInternals.after(
        overloadIntervalMs,
        () => {
          if (!this.#isPending) this.#measure(Time.monotonic());
        },
        { keepAlive: false },
      );
    }
  }

  #beginShedding(now: number): void {
    const isRepeated = now - this.#recoveredMs <= repeatWindowMs;
    this.#probeDelayMs = isRepeated ? Math.min(this.#probeDelayMs * 2, maxProbeDelayMs) : minProbeDelayMs;
    this.#probeAtMs = now + this.#probeDelayMs;
    this.#onTimeCount = 0;
    this.#isOverloaded = true;
    this.#setSlice(minSliceMs);
  }

  #setSlice(sliceMs: number): void {
    this.#sliceMs = Math.min(Math.max(sliceMs, minSliceMs), this.#maxDelayMs / 4);
  }
}
