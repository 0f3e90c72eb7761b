import { z } from "zod";

/**
 * The variables of your own app, read when the server starts: `ownConfig().NAME`
 * of own-config.ts. Give each
 * one `.meta({ example })` for the message about a wrong value, and `secret: true` there if that
 * message must not show it. `.env.example` explains each.
 */
export const ownVariables = z.object({});
