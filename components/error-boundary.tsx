import { Component, type ReactNode } from "react";
import { reportError } from "@/lib/reporting/early";
import { ErrorView } from "./error-view";

interface Props {
  children: ReactNode;
  /** Where the visitor is: another place, another chance. */
  place: string;
}

interface State {
  reference?: string;
  place: string;
  tries: number;
}

/** Shows the error view in place of a page that threw while it rendered in the browser. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { place: this.props.place, tries: 0 };

  static getDerivedStateFromProps({ place }: Props, state: State): State | null {
    return place === state.place ? null : { place, tries: 0 };
  }

  override componentDidCatch(error: unknown): void {
    this.setState({ reference: reportError(error, "boundary") });
  }

  static getDerivedStateFromError(): Partial<State> {
    return { reference: "" };
  }

  tryAgain = (): void => {
    if (this.state.tries > 0) location.reload();
    else this.setState({ reference: undefined, tries: 1 });
  };

  override render(): ReactNode {
    const { reference } = this.state;
    if (reference === undefined) return this.props.children;
    return <ErrorView side="browser" reference={reference} onTryAgain={this.tryAgain} />;
  }
}
