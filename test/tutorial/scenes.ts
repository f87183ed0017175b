import type { Locator, Page } from "playwright-core";
import { loadUntilShown } from "../browser/page.ts";

/** Page of a browser and the address of the reader's application. */
export interface Stage {
  readonly page: Page;
  readonly url: string;
  /** Takes a screenshot, in update mode. */
  readonly show: (name: string) => Promise<void>;
}

const ada = { name: "Ada", email: "ada@example.com", password: "a meadow of cats" };
const grace = { name: "Grace", email: "grace@example.com", password: "a river of cats" };

/** Actions of the reader in the browser, by chapter. The next chapters use the data of a chapter. */
export const scenes: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  "01-first-page": async ({ page, url, show }) => {
    await page.goto(url);
    await page.getByRole("heading", { name: "Tracker" }).waitFor();
    await show("01-first-page.png");
  },

  "02-accounts": async ({ page, url, show }) => {
    await page.goto(url);
    await page.getByRole("link", { name: "Register" }).click();
    await register(page, ada);
    await openInbox(page, url, ada.email);
    await show("02-mails.png");
    await confirm(page, url, ada.email);
    await page.goto(`${url}/account`);
    await page.getByText(`You are logged in as ${ada.email}`).waitFor();
    await show("02-account.png");
  },

  "03-teams": async ({ page, url, show }) => {
    const context = await page.context().browser()?.newContext();
    const other = await context?.newPage();
    if (context === undefined || other === undefined) throw new Error("The browser has been closed");
    await other.goto(`${url}/register`);
    await register(other, grace);
    await confirm(other, url, grace.email);

    await page.goto(url);
    await page.getByRole("main").getByRole("link", { name: "Teams" }).click();
    await page.getByRole("link", { name: "New team" }).click();
    await page.getByLabel("Name").fill("Railway");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByRole("link", { name: "Railway", exact: true }).click();
    await page.getByRole("link", { name: "Members" }).click();
    await page.getByRole("link", { name: "Add a member" }).click();
    await page.getByLabel("E-mail address").fill(grace.email);
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByText(`${grace.email} – has not accepted yet`).first().waitFor();
    await (await openInbox(other, url, grace.email, /invitation/i)).click();
    const invitation = await other.locator('a[href*="/teams/invitations/"]').first().getAttribute("href");
    await other.goto(invitation ?? "");
    await other.getByRole("button", { name: "Accept: Railway" }).click();
    await other.getByRole("link", { name: "Railway", exact: true }).waitFor();
    await context.close();
    await page.reload();
    await page.getByRole("link", { name: "Grace", exact: true }).waitFor();
    await show("03-members.png");
  },

  "04-issues": async ({ page, url, show }) => {
    await page.goto(`${url}/teams`);
    await page.getByRole("link", { name: "Railway", exact: true }).click();
    await page.getByRole("link", { name: "Projects" }).click();
    await page.getByRole("link", { name: "New project" }).click();
    await page.getByLabel("Name").fill("Ticket machines");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByRole("link", { name: "Ticket machines", exact: true }).click();
    await page.waitForURL(/\/projects\/[\da-f-]{36}/);
    const project = page.url();
    for (const label of ["bug", "urgent"]) {
      await page.goto(`${project.replace(/\?.*/, "")}/labels/new`);
      await page.getByLabel("Name").fill(label);
      await page.getByRole("button", { name: "Add" }).click();
      await page.getByRole("link", { name: label, exact: true }).waitFor();
    }
    await page.goto(`${project}/issues/new`);
    await page.getByLabel("Title").fill("The machine at platform 3 prints blank tickets");
    await page.getByLabel("State").selectOption("open");
    await page.getByLabel("Assignee").selectOption({ label: "Grace" });
    await page.getByLabel("bug").check();
    await show("04-issue.png");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByRole("link", { name: "The machine at platform 3 prints blank tickets", exact: true }).waitFor();
  },

  "05-forms": async ({ page, url, show }) => {
    await openIssues(page, url);
    await page.getByRole("link", { name: "New issue" }).click();
    await page.getByLabel("Title").fill("Bug");
    await page.getByRole("button", { name: "Add" }).click();
    await page.locator("#title-error", { hasText: "Please use more than one word" }).waitFor();
    await show("05-errors.png");

    await openIssues(page, url);
    await page.getByRole("link", { name: /^Edit The machine/ }).click();
    await page.getByRole("heading", { name: "Edit issue" }).waitFor();
    const second = await page.context().newPage();
    await second.goto(page.url());
    await second.getByLabel("Title").fill("The machine at platform 3 prints nothing");
    await second.getByRole("button", { name: "Save" }).click();
    await second.getByRole("status").waitFor();
    await second.close();
    await page.getByLabel("Title").fill("The ticket machine at platform 3 is out of paper");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Stored version").first().waitFor();
    await show("05-conflict.png");
  },

  "06-comments": async ({ page, url, show }) => {
    await openIssues(page, url);
    await page.getByRole("link", { name: /^The machine/ }).click();
    await page.waitForURL(/\/issues\/[\da-f-]{36}/);
    const issue = page.url();
    await page.getByRole("link", { name: "Comments" }).click();
    await page.getByRole("link", { name: "New comment" }).click();
    await page.getByLabel("Text").fill("Is it the paper or the printer?");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByRole("cell", { name: "Ada" }).waitFor();
    await page.goto(`${issue}/edit`);
    await page.getByLabel("State").selectOption("closed");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").waitFor();
    await openProject(page, url);
    await page.getByRole("link", { name: "Activities" }).click();
    await page.getByRole("cell", { name: "Commented" }).waitFor();
    await show("06-activity.png");
  },

  "07-lists": async ({ page, url, show }) => {
    // The demo has replaced all accounts.
    await page.goto(`${url}/login`);
    await page.getByLabel("E-mail address").fill("ada@example.com");
    await page.getByLabel("Password").fill("a demo of the tracker");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByText("You are logged in as").waitFor();
    await openIssues(page, url);
    await page.getByLabel("Label").selectOption({ label: "bug" });
    await page
      .getByRole("button", { name: "Apply" })
      .or(page.getByRole("button", { name: "Search" }))
      .first()
      .click();
    await page.getByText("1 to 2 of 2").waitFor();
    await show("07-list.png");
  },

  "08-attachments": async ({ page, url, show }) => {
    await openIssues(page, url);
    await page.getByRole("link", { name: /^The machine/ }).click();
    await page.getByRole("link", { name: "Attachments" }).click();
    await page.getByRole("link", { name: "New attachment" }).click();
    const file = { name: "printer.log", mimeType: "text/plain", buffer: Buffer.from("Paper: empty\n") };
    await page.locator("input[type=file]").setInputFiles(file);
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByRole("link", { name: "Download printer.log" }).waitFor();
    await show("08-attachments.png");
  },
};

async function register(page: Page, { name, email, password }: typeof ada): Promise<void> {
  // The last field of the form: the fields before it are loaded as well.
  await page.getByLabel("Repeat the new password").waitFor();
  const nameField = page.getByLabel("Name");
  if ((await nameField.count()) > 0) await nameField.fill(name);
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("New password", { exact: true }).fill(password);
  await page.getByLabel("Repeat the new password").fill(password);
  await page.getByRole("button", { name: "Register" }).click();
  await page.getByText("Welcome!").waitFor();
}

/** Opens the inbox when the queue has delivered a mail to an address. Returns the link to the mail. */
async function openInbox(page: Page, url: string, address: string, subject = /confirm/i): Promise<Locator> {
  const mails = page.getByRole("listitem").filter({ hasText: address });
  const mail = mails.getByRole("link", { name: subject });
  await loadUntilShown(page, `${url}/mails`, mail);
  return mail;
}

/** Opens the newest mail to an address and follows its link. */
async function confirm(page: Page, url: string, address: string): Promise<void> {
  await (await openInbox(page, url, address)).click();
  const link = await page.locator('a[href*="/account/email/confirm"]').first().getAttribute("href");
  await page.goto(link ?? "");
  await page.getByRole("button", { name: /confirm/i }).click();
  await page.getByText(`${address} is confirmed`).waitFor();
}

async function openProject(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/teams`);
  await page.getByRole("link", { name: "Railway", exact: true }).click();
  await page.getByRole("link", { name: "Projects" }).click();
  await page.getByRole("link", { name: "Ticket machines", exact: true }).click();
}

async function openIssues(page: Page, url: string): Promise<void> {
  await openProject(page, url);
  await page.getByRole("link", { name: "Issues" }).click();
}
