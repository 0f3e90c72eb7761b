/** What React reads of a component itself, and what each function has. */
const ofReact =
  /^(childContextTypes|contextTypes?|defaultProps|displayName|getDefaultProps|getDerivedStateFrom(Error|Props)|mixins|propTypes|type|render|compare|\$\$typeof|name|length|prototype|caller|callee|arguments|arity)$/;

/**
 * Gives a component around another one what that has besides, its own and inherited, such as a page's
 * `getInitialProps` and `getLayout`. Sentry does the same, by the package hoist-non-react-statics.
 */
export function hoistStatics<Wrapper extends object>(wrapper: Wrapper, wrapped: object): Wrapper {
  for (let from = wrapped; !isPlain(from); from = Object.getPrototypeOf(from)) {
    for (const key of Reflect.ownKeys(from)) {
      if (ofReact.test(String(key)) || Reflect.getOwnPropertyDescriptor(wrapper, key)) continue;
      Object.defineProperty(wrapper, key, Object.getOwnPropertyDescriptor(from, key) as object);
    }
  }
  return wrapper;
}

function isPlain(object: object | null): boolean {
  return object === null || object === Object.prototype || object === Function.prototype;
}
