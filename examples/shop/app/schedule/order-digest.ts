import { Schedule, Time } from "limmat";
import { database, email } from "../../service/service.ts";
import * as Employee from "../domain/employee/employee.ts";
import { money } from "../domain/money.ts";
import { turnover } from "../domain/order/report.ts";
import { dailyDigest } from "../mail/daily-digest.ts";

/** The schedule `order.digest`. */
export const orderDigest = Schedule.make({
  name: "order.digest",
  description: "Mails the orders of the last 24 hours to the managers",
  cron: "0 3 * * *",
  dependencies: () => [database],
  run: async ({ slot }) => {
    const from = new Date(slot.getTime() - Time.hours(24));
    const { orders, total } = await turnover(from, slot);
    const mail = dailyDigest({ day: from.toISOString().slice(0, 10), orders, total: money(total) });
    const [managers] = await Employee.search({ filterBy: { role: "manager" } });
    await email.sendAll(managers.map(({ user }) => ({ recipient: user.email, ...mail })));
  },
});
