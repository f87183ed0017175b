import { Schema } from "limmat";

/** The public profile of a user. */
export interface Profile {
  readonly username: string;
  readonly bio: string;
  readonly image: string;
  /** True if the current user follows this profile. */
  readonly following: boolean;
}

/** Fields of a profile that its owner edits. The user name is part of URLs, so only some characters are allowed. */
export const profileFields = {
  username: Schema.string({
    max: 60,
    validate: (name) =>
      /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(name)
        ? undefined
        : "Please use letters and digits, followed by letters, digits, dots, underscores or hyphens",
  }),
  bio: Schema.text({ max: 2000, default: "" }),
  image: Schema.string({ max: 2000, default: "" }),
};
const schema = Schema.record(profileFields);

/** Input of a profile. */
export type ProfileInput = Schema.Infer<typeof schema>;
