export { sendgrid, type SendgridOptions } from "./sendgrid.ts";
