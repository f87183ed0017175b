/** Error messages for forms. */
export interface UserMessages {
  readonly emailInvalid: string;
  readonly emailTaken: string;
  /** The new address equals the current one. */
  readonly emailUnchanged: string;
  /** A profile field is too long or contains an invalid character. */
  readonly fieldInvalid: string;
  readonly confirmationDiffers: string;
  /** The current password, required for a change, is wrong. */
  readonly oldPasswordWrong: string;
  /** Login failed: the same message for an unknown address, a wrong password, and an inactive user. */
  readonly loginFailed: string;
  /** The user has changed since it was read. */
  readonly userChanged: string;
  /** The account is locked after too many attempts. */
  readonly loginThrottled: (minutes: number) => string;
}

/** Default messages, in English. */
export const englishMessages: UserMessages = Object.freeze<UserMessages>({
  emailInvalid: "Please enter an e-mail address.",
  emailTaken: "There is an account with this address already.",
  emailUnchanged: "This is your address already.",
  fieldInvalid: "Please enter at most 255 characters.",
  confirmationDiffers: "Please enter the same password twice.",
  oldPasswordWrong: "This is not your current password.",
  userChanged: "Your account was changed in the meantime. Please try again.",
  loginFailed: "The e-mail address or the password is wrong.",
  loginThrottled: (minutes) =>
    `There were too many attempts. Please try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`,
});
