/**
 * Turns HTML that React has written into source text that makes the same elements, so that a
 * comparison app renders the very same page, only without the components behind it.
 *
 * @param {string} html well-formed, as React writes it
 * @returns {string} an expression in terms of React's `createElement`, called `h`
 */
export function elementsOf(html) {
  /** @type {string[][]} */
  const open = [["h", "Fragment", "null"]];
  const add = (/** @type {string} */ source) => open.at(-1)?.push(source);
  const close = () => {
    const [call = "", ...args] = open.pop() ?? [];
    add(`${call}(${args.join(", ")})`);
  };
  const tokens = /<!--.*?-->|<\/(\w+)>|<([\w-]+)((?:\s[^>]*?)?)(\/?)>|([^<]+)/gs;
  for (let token = tokens.exec(html); token; token = tokens.exec(html)) {
    const [, closing, name = "", attributes = "", selfClosing, text] = token;
    if (text) add(JSON.stringify(decode(text)));
    else if (closing) close();
    else if (name === "script") {
      const end = html.indexOf("</script>", tokens.lastIndex);
      const inner = { __html: html.slice(tokens.lastIndex, end) };
      const props = { ...propsOf(attributes), dangerouslySetInnerHTML: inner };
      add(`h("script", ${JSON.stringify(props)})`);
      tokens.lastIndex = end + "</script>".length;
    } else if (name) {
      open.push(["h", JSON.stringify(name), JSON.stringify(propsOf(attributes))]);
      if (selfClosing || /^(br|hr|img|input|link|meta|wbr)$/.test(name)) close();
    }
  }
  if (open.length !== 1) throw new Error(`Expected well-formed HTML, got ${open.length} open tags`);
  const [call = "", ...args] = open[0] ?? [];
  return `${call}(${args.join(", ")})`;
}

/** Where React's name of an attribute is another and its own would be refused or lost. */
const reactNames = /** @type {Record<string, string>} */ ({
  class: "className",
  for: "htmlFor",
  tabindex: "tabIndex",
  datetime: "dateTime",
  maxlength: "maxLength",
  hreflang: "hrefLang",
});

/** @param {string} attributes */
function propsOf(attributes) {
  /** @type {Record<string, string | boolean>} */
  const props = {};
  for (const [, name = "", value = ""] of attributes.matchAll(/([\w:-]+)(?:="([^"]*)")?/g)) {
    props[reactNames[name] ?? name] = value === "" ? true : decode(value);
  }
  return props;
}

const entities = /** @type {Record<string, string>} */ ({
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
});

/** @param {string} text */
function decode(text) {
  return text.replace(/&(amp|lt|gt|quot|#x27);/g, (entity) => entities[entity] ?? entity);
}
