import { Schema } from "limmat";

/** What others see of somebody. */
export interface Profile {
  readonly username: string;
  readonly bio: string;
  readonly image: string;
  /** Whether the one who asks follows this person. */
  readonly following: boolean;
}

/** The fields of a profile that its owner fills in. The name stands in addresses, so it holds nothing that they cannot. */
export const fields = {
  username: Schema.string({
    max: 60,
    validate: (name) =>
      /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(name)
        ? undefined
        : "Please take letters and digits, and no other signs than . _ - behind them",
  }),
  bio: Schema.text({ max: 2000, default: "" }),
  image: Schema.string({ max: 2000, default: "" }),
};
const schema = Schema.record(fields);

/** What the owner of a profile decides. */
export type Details = Schema.Infer<typeof schema>;
