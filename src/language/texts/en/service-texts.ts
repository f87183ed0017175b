/** Text of a short mail: paragraphs, with a link between them. */
export interface MailText {
  readonly subject: string;
  readonly before: readonly string[];
  /** Label of the link. */
  readonly link?: string;
  readonly after?: readonly string[];
}

/** Messages of accounts, for forms. */
export interface UserTexts {
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
  /** The account cannot be deleted, because rows of other tables refer to it. */
  readonly accountInUse: string;
  /** Message for an invalid link, whatever the reason. */
  readonly linkInvalid: string;
  readonly passwordTooShort: (min: number) => string;
  readonly passwordTooLong: (max: number) => string;
  readonly passwordCharacter: string;
  readonly passwordEasy: string;
}

/** Banner for an administrator who acts as a user. */
export interface ImpersonationTexts {
  /** Name of the banner, for screen readers. */
  readonly label: string;
  readonly actingAs: (email: string) => string;
  /** Button that ends it. */
  readonly end: string;
}

/** Mails of accounts. */
export interface MailTexts {
  /** Asks to confirm the address of the account. */
  readonly confirm: (hours: number) => MailText;
  /** Asks to confirm a new address. */
  readonly change: (hours: number) => MailText;
  /** Reports to the current address that another one was requested. */
  readonly changeRequested: MailText;
  /** Reports to the previous address that it has changed. */
  readonly changed: MailText;
  readonly passwordChanged: MailText;
  /** Link to set a new password. */
  readonly passwordReset: (minutes: number) => MailText;
  /** Reports that a password was set by a link. */
  readonly passwordSet: MailText;
}

/** Pages of accounts and of the password reset. */
export interface AccountTexts {
  readonly email: string;
  readonly password: string;
  readonly newPassword: string;
  readonly newPasswordHint: string;
  readonly repeatPassword: string;
  readonly currentPassword: string;
  /** Heading and button of the login page. */
  readonly logIn: string;
  readonly logOut: string;
  /** Name of the button that logs out a device for screen readers. */
  readonly logOutDevice: (device: string) => string;
  readonly logOutOthers: string;
  /** Heading and button of the registration page. */
  readonly register: string;
  readonly noAccount: string;
  readonly haveAccount: string;
  readonly forgotPassword: string;
  readonly account: string;
  readonly yourAccount: string;
  readonly loggedInAs: (email: string) => string;
  readonly devices: string;
  readonly device: string;
  readonly unknownDevice: string;
  /** Name of a device: its browser and its operating system. */
  readonly deviceOf: (browser: string, system: string) => string;
  readonly thisDevice: string;
  /** Label before the time of the last request. */
  readonly lastSeen: string;
  /** Label before the time of the login. */
  readonly loggedInSince: string;
  /** Heading of the form, and its button. */
  readonly changePassword: string;
  readonly logsOutOthers: string;
  readonly confirmEmail: string;
  readonly confirmEmailText: string;
  readonly sendAgain: string;
  readonly changeEmail: string;
  readonly changeEmailText: string;
  readonly newEmail: string;
  readonly sendLink: string;
  readonly confirmTitle: string;
  readonly confirmHeading: (email: string) => string;
  readonly confirm: string;
  readonly notConfirmed: string;
  readonly linkExpired: string;
  readonly linkRules: string;
  readonly toAccount: string;
  readonly deleteAccount: string;
  readonly deleteAccountText: string;
  readonly deleteMyAccount: string;
  /** Notices after an action. */
  readonly loggedOut: string;
  readonly welcome: string;
  readonly passwordChanged: string;
  readonly deviceLoggedOut: string;
  readonly othersLoggedOut: string;
  readonly linkSentTo: (email: string) => string;
  readonly linkSent: string;
  readonly emailConfirmed: (email: string) => string;
  readonly accountDeleted: string;
  /** Pages of the password reset. */
  readonly resetTitle: string;
  readonly resetText: string;
  readonly resetEmailInvalid: string;
  readonly checkInbox: string;
  readonly checkInboxText: string;
  readonly noMail: string;
  readonly tryAgain: string;
  readonly setNewPassword: string;
  readonly setNewPasswordText: string;
  readonly setPassword: string;
  readonly resetLinkInvalid: string;
  readonly resetLinkRules: string;
  readonly requestLink: string;
  readonly passwordSet: string;
  readonly passwordSetText: string;
  readonly logInAgain: string;
}

/** Inbox of captured mails, and stored templates. */
export interface EmailTexts {
  readonly inbox: string;
  readonly previews: string;
  readonly noSubject: string;
  /** Recipients of a mail, in the list. */
  readonly to: (recipients: string) => string;
  readonly noMails: string;
  readonly captured: (count: string, isOne: boolean) => string;
  readonly sender: string;
  readonly noSender: string;
  readonly recipients: string;
  readonly cc: string;
  readonly bcc: string;
  readonly replyTo: string;
  readonly tags: string;
  readonly capturedAt: string;
  readonly html: string;
  readonly frame: string;
  readonly text: string;
  readonly attachments: string;
  readonly bytes: (count: string) => string;
  readonly templateTaken: string;
  readonly templateUnknown: string;
  readonly templateLabel: string;
  readonly templateLanguage: string;
  readonly templateSubject: string;
}

/** Dashboard of a queue. */
export interface QueueTexts {
  readonly jobs: string;
  readonly pages: string;
  readonly newer: string;
  readonly older: string;
  readonly range: (first: string, last: string, total: string) => string;
  readonly noJobs: string;
  readonly nameOrTag: string;
  readonly search: string;
  readonly refresh: (seconds: number) => string;
  readonly stopRefreshing: string;
  readonly all: string;
  readonly statuses: Readonly<Record<"pending" | "running" | "succeeded" | "failed" | "cancelled", string>>;
  readonly priorities: Readonly<Record<"high" | "normal" | "low", string>>;
  readonly status: string;
  readonly priority: string;
  readonly tag: string;
  readonly attempts: string;
  readonly attemptsOf: (attempts: string, max: string) => string;
  readonly dispatched: string;
  readonly startsAt: string;
  readonly lastStarted: string;
  readonly leasedUntil: string;
  readonly finished: string;
  readonly context: string;
  readonly id: string;
  readonly startNow: string;
  readonly requeue: string;
  readonly cancel: string;
  readonly lastError: string;
  readonly input: string;
  readonly noInput: string;
  readonly characters: (count: string) => string;
  readonly cancelled: string;
  readonly notCancelled: string;
  readonly requeued: string;
  readonly notRequeued: string;
}

/** Pages of the audit trail. */
export interface AuditTexts {
  /** Words for one entry and for several ones, as inside a sentence. */
  readonly one: string;
  readonly many: string;
  /** Labels of the columns of an entry. */
  readonly fields: Readonly<Record<string, string>>;
  /** Labels of the actions that the framework records. */
  readonly actions: Readonly<Record<string, string>>;
  readonly who: string;
  readonly nobody: string;
  /** Whoever acts as another user. */
  readonly by: (name: string) => string;
  readonly row: string;
  readonly allOfRow: string;
  readonly details: string;
  readonly personal: string;
  readonly personalText: string;
  readonly download: string;
}

/** Pages for administrators. */
export interface AdminTexts {
  readonly title: string;
  readonly rows: string;
  readonly related: string;
  /** Newest entries of the audit trail. */
  readonly history: string;
  /** Hint of a field that takes an id. */
  readonly idHint: (one: string) => string;
  readonly taken: string;
  readonly missing: string;
  readonly inUse: string;
  readonly userTexts: {
    readonly one: string;
    readonly many: string;
    readonly fields: Readonly<Record<"email" | "name" | "status" | "admin", string>>;
    readonly choices: { readonly status: Readonly<Record<"active" | "inactive", string>> };
  };
}

/** Texts of pages, mails and results of services, in one language. */
export interface ServiceTexts {
  readonly user: UserTexts;
  readonly impersonation: ImpersonationTexts;
  readonly mails: MailTexts;
  readonly account: AccountTexts;
  readonly email: EmailTexts;
  readonly queue: QueueTexts;
  readonly audit: AuditTexts;
  readonly admin: AdminTexts;
}
