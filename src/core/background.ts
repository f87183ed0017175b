import type { Service, StartContext } from "./service.ts";

/** Function that stops what a start began, such as a timer. */
type Stop = () => Promise<void> | void;

/**
 * Returns `start` and `stop` of a service: `begin` starts its background work, and returns the functions that stop it. The
 * stop of the service calls them in this order.
 */
export function background(
  begin: (context: StartContext) => Promise<readonly Stop[]> | readonly Stop[],
): Pick<Service, "start" | "stop"> {
  let stops: readonly Stop[] = [];
  return {
    start: async (context) => {
      stops = await begin(context);
    },
    stop: async () => {
      for (const stop of stops) await stop();
    },
  };
}
