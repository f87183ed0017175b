export { smtp, type SmtpOptions } from "./smtp.ts";
