// Functions for tests of the framework. They are not part of the public namespace.
export { seededSource, useSource } from "./random.ts";
