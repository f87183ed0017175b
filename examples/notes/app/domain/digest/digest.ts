import { Queue, Schema, Time } from "limmat";
import { html } from "limmat/html";
import { email, queue, user } from "../../../service/service.ts";
import * as Note from "../note/note.ts";

/** Mails one person how many notes of the last week there are. */
export const digest = Queue.job({
  name: "digest.send",
  input: Schema.record({ user_id: Schema.uuid(), notes: Schema.int({ min: 1 }) }),
  handle: async ({ user_id, notes }) => {
    const reader = await user.findOpt(user_id);
    if (reader === undefined) return;
    const count = notes === 1 ? "one new note" : `${notes} new notes`;
    await email.send({
      recipient: reader.email,
      subject: `Your week: ${count}`,
      html: html`<p>You wrote ${count} this week.</p>`,
    });
  },
});

/** Puts a mail for everybody who wrote in the week before a point in time into the queue. */
export async function dispatchDigests(until: Date): Promise<number> {
  const writers = await Note.writersSince(new Date(until.getTime() - Time.days(7)));
  await queue.dispatchAll(digest, writers);
  return writers.length;
}
