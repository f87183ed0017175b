export { addressKey, addressProblem, parseAddress, readAddress } from "./email-address.ts";
