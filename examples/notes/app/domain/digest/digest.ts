import { Queue, Schema, Time } from "limmat";
import { html } from "limmat/html";
import { email, queue, user } from "../../../service/service.ts";
import * as Note from "../note/note.ts";

/** Sends a user the number of their notes of the last week. */
export const digest = Queue.job({
  name: "digest.send",
  input: Schema.record({ user_id: Schema.uuid(), notes: Schema.int({ min: 1 }) }),
  handle: async ({ user_id, notes }) => {
    const recipient = await user.findOpt(user_id);
    if (recipient === undefined) return;
    const count = notes === 1 ? "one new note" : `${notes} new notes`;
    await email.send({
      recipient: recipient.email,
      subject: `Your week: ${count}`,
      html: html`<p>You wrote ${count} this week.</p>`,
    });
  },
});

/** Dispatches a digest for every user who wrote notes in the week before `until`. Returns their number. */
export async function dispatchWeeklyDigests(until: Date): Promise<number> {
  const writers = await Note.writersSince(new Date(until.getTime() - Time.days(7)));
  await queue.dispatchAll(digest, writers);
  return writers.length;
}
