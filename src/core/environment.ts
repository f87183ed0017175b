/** The environments that `FRAMEWORK_ENV` can name. */
export type Environment = "development" | "test" | "production";

/** All of them, in the order in which messages name them. */
export const environments: readonly Environment[] = ["development", "test", "production"];
