import { captureFeedback as feedback } from "sentry-scopes";
import "./interim-client.ts";

/** A name of its own, as the scopes of calls.ts have. In a file of its own: what calls no feedback does not carry it. */
export const captureFeedback: typeof feedback = feedback;
