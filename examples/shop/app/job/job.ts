import { orderConfirm } from "./order-confirm.ts";

/** Jobs of the application. */
export const jobs = [orderConfirm];
