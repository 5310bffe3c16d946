// Limits the cost of an evaluation. It counts steps and not time, so that the same input always gives the same result.

export class BudgetError extends Error {}

export interface Steps {
  spend(steps: number): void;
}

export class Budget implements Steps {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new BudgetError('too many steps');
  }
}
