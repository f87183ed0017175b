/** The input of all jobs: what a job that sends a mail would hold. */
export interface Input {
  readonly number: number;
  readonly to: string;
}

/** A queue as its users have it, with one kind of job. */
export interface Contestant {
  /** Puts one job into the queue. */
  dispatch(input: Input): Promise<unknown>;
  /** Puts many into it at once. */
  dispatchAll(inputs: readonly Input[]): Promise<unknown>;
}

/** How a contestant is opened. */
export interface Opening {
  readonly url: string;
  readonly engine: string;
  /** Whether this process works the jobs too, ten at once. */
  readonly works: boolean;
  /** Called for each job that is worked. */
  readonly handle: (input: Input) => void;
}

export type Open = (opening: Opening) => Promise<Contestant>;

/** How many jobs are worked at the same time. */
export const concurrency = 10;
