// The base of all elements: Lit's, rendered into the document itself, so that one style sheet, labels and ids work across elements.
import { LitElement } from 'lit';

export abstract class PageElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  /** Changes fields and renders again. Fields of elements are plain: Lit's own reactive ones need decorators or `declare`. */
  protected set<Name extends keyof this>(changes: Pick<this, Name>): void {
    Object.assign(this, changes);
    this.requestUpdate();
  }
}

export function define(name: string, element: CustomElementConstructor): void {
  if (!customElements.get(name)) customElements.define(name, element);
}
