/** The same in both apps, and on all sides. What is only of one of the two changes nothing in the other. */
export const options = {
  release: "9.8.7",
  environment: "staging",
  tracesSampleRate: 1,
  traceLifecycle: "static",
  attachStacktrace: false,
  sendClientReports: false,
  allowedNames: ["username", "email", "user.email", "user.name"],
} as const;
