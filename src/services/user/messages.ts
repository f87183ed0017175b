/** What people are told when something is refused: for forms. */
export interface UserMessages {
  readonly emailInvalid: string;
  readonly emailTaken: string;
  /** The address that is to take the place of another is the same. */
  readonly emailSame: string;
  /** Of a name that is too long, or holds what is no character. */
  readonly fieldInvalid: string;
  readonly confirmationDiffers: string;
  /** The present password, given to change it, is wrong. */
  readonly oldPasswordWrong: string;
  /** The same for an unknown address, a wrong password, and a user who is not active. */
  readonly loginRefused: string;
  /** The user has changed since it was read. */
  readonly changedMeanwhile: string;
  /** There were too many attempts. */
  readonly loginMustWait: (minutes: number) => string;
}

/** The messages when an application gives none. */
export const englishMessages: UserMessages = Object.freeze({
  emailInvalid: "Please enter an e-mail address.",
  emailTaken: "There is an account with this address already.",
  emailSame: "This is your address already.",
  fieldInvalid: "Please enter at most 255 characters.",
  confirmationDiffers: "Please enter the same password twice.",
  oldPasswordWrong: "This is not your present password.",
  changedMeanwhile: "Your account has changed meanwhile. Please try again.",
  loginRefused: "The e-mail address or the password is not right.",
  loginMustWait: (minutes: number) =>
    `There were too many attempts. Please try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`,
});
