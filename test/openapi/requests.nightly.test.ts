// Generated requests to the tracker, with another seed each night.
import { testTracker } from "./tracker.ts";

await testTracker(20_000);
