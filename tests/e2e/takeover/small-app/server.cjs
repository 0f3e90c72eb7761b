const { createServer } = require("node:http");
const next = require("next");

const app = next({ dev: false });
const handle = app.getRequestHandler();
app.prepare().then(() => {
  createServer((request, response) => handle(request, response)).listen(process.env.PORT);
});
