/** Input of all jobs, similar to a job that sends a mail. */
export interface Input {
  readonly number: number;
  readonly to: string;
}

/** Queue with one kind of job. */
export interface Contestant {
  /** Dispatches one job. */
  dispatch(input: Input): Promise<unknown>;
  /** Dispatches several jobs in one call. */
  dispatchAll(inputs: readonly Input[]): Promise<unknown>;
}

/** Options of `Open`. */
export interface Opening {
  readonly url: string;
  readonly engine: string;
  /** True if this process also runs the jobs, ten at a time. */
  readonly works: boolean;
  /** Callback for each job that runs. */
  readonly handle: (input: Input) => void;
}

export type Open = (opening: Opening) => Promise<Contestant>;

/** Number of jobs that run at the same time. */
export const concurrency = 10;
