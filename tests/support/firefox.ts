#!/usr/bin/env node
import { spawn } from "node:child_process";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/*
 * Starts Debian's Firefox for Playwright, with its arguments. Playwright asks each
 * browser that speaks WebDriver BiDi to emulate a colour scheme, and opens no page where that fails.
 * Firefox ESR 153 doesn't know the command: this program stands between the two, and puts one without
 * effect in its place.
 * Sources: https://w3c.github.io/webdriver-bidi/, https://datatracker.ietf.org/doc/html/rfc6455#section-5.2
 */

const firefox = spawn("firefox-esr", process.argv.slice(2), {
  stdio: ["inherit", "inherit", "pipe"],
});
firefox.on("exit", (code) => process.exit(code ?? 1));

let said = "";
firefox.stderr.on("data", function listen(chunk) {
  said += chunk;
  const port = /^WebDriver BiDi listening on ws:\/\/127\.0\.0\.1:(\d+)$/m.exec(said)?.[1];
  if (!port) return;
  firefox.stderr.off("data", listen).pipe(process.stderr);
  const between = createServer((playwright) => relay(playwright, Number(port)));
  between.listen(0, "127.0.0.1", () => {
    console.error(said.replace(port, `${(between.address() as AddressInfo).port}`));
  });
});

/** Passes on what comes, but for the command that Firefox doesn't know. */
function relay(playwright: Socket, port: number) {
  const browser = connect(port, "127.0.0.1");
  browser.pipe(playwright);
  for (const [socket, other] of [
    [playwright, browser],
    [browser, playwright],
  ] as const)
    socket.on("close", () => other.destroy()).on("error", () => other.destroy());
  let rest = Buffer.alloc(0);
  let isOpen = false;
  playwright.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    if (!isOpen) {
      const end = rest.indexOf("\r\n\r\n") + 4;
      if (end < 4) return;
      isOpen = true;
      // It has to be asked for by its own address.
      browser.write(rest.toString("latin1", 0, end).replace(/^(host: .*:)\d+/im, `$1${port}`));
      rest = rest.subarray(end);
    }
    for (;;) {
      const frame = firstFrame(rest);
      if (!frame) return;
      rest = rest.subarray(frame.bytes.length);
      browser.write(knownCommand(frame));
    }
  });
}

interface Frame {
  /** As they came. */
  bytes: Buffer;
  text: string;
}

/** The first frame of what a WebSocket's client has sent, if all of it is there. */
function firstFrame(sent: Buffer): Frame | undefined {
  const short = (sent[1] ?? 0) & 127;
  const keyAt = short < 126 ? 2 : short === 126 ? 4 : 10;
  const start = keyAt + 4;
  if (sent.length < start) return undefined;
  const length =
    short < 126 ? short : short === 126 ? sent.readUInt16BE(2) : Number(sent.readBigUInt64BE(2));
  const bytes = sent.subarray(0, start + length);
  if (bytes.length < start + length) return undefined;
  const text = bytes.subarray(start).map((byte, i) => byte ^ (bytes[keyAt + (i % 4)] ?? 0));
  return { bytes, text: Buffer.from(text).toString() };
}

function knownCommand({ bytes, text }: Frame): Buffer {
  if (!text.startsWith("{") || !text.includes('"emulation.setMediaFeaturesOverride"')) return bytes;
  const { id } = JSON.parse(text);
  const command = JSON.stringify({ id, method: "session.status", params: {} });
  // One text. Firefox takes a mask of zeros for none.
  const mask = 1;
  const masked = Buffer.from(command).map((byte) => byte ^ mask);
  return Buffer.from([0x81, 0x80 | command.length, mask, mask, mask, mask, ...masked]);
}
